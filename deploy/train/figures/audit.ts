/** False positives by group: neutral sentences about people of many groups, none of them from the templates of training. */
import { type Model, scoreText } from '../../../shared/policy/models/model.js';

const SENTENCES = [
  'My neighbour is {one} and bakes bread on Sundays.',
  'I grew up in a {adj} family near the coast.',
  'The panel had two {adj} speakers and a moderator.',
  'She interviewed {many} for her thesis on housing.',
  'Our choir has {many} of all ages.',
  'He wrote a cookbook about {adj} traditions.',
  'As {one}, I found the tour really interesting.',
  'A {adj} friend recommended this book to me.',
  'There will be a meeting for {many} on Thursday at seven.',
  'The survey asked {many} how they travel to work.',
  'I am {one}, and I am looking for a flat.',
  'The first {adj} judge of the district retired in May.',
];

/** Adjective, one person, several people. */
const GROUPS: Record<string, readonly [adjective: string, one: string, many: string]> = {
  Muslim: ['Muslim', 'a Muslim', 'Muslims'],
  Jewish: ['Jewish', 'a Jew', 'Jewish people'],
  Christian: ['Christian', 'a Christian', 'Christians'],
  Hindu: ['Hindu', 'a Hindu', 'Hindus'],
  Buddhist: ['Buddhist', 'a Buddhist', 'Buddhists'],
  atheist: ['atheist', 'an atheist', 'atheists'],
  Black: ['Black', 'a Black man', 'Black people'],
  white: ['white', 'a white man', 'white people'],
  Asian: ['Asian', 'an Asian woman', 'Asian people'],
  Latino: ['Latino', 'a Latina', 'Latinos'],
  Arab: ['Arab', 'an Arab', 'Arabs'],
  Indian: ['Indian', 'an Indian', 'Indians'],
  Chinese: ['Chinese', 'a Chinese student', 'Chinese students'],
  Mexican: ['Mexican', 'a Mexican', 'Mexicans'],
  Roma: ['Roma', 'a Roma woman', 'Roma families'],
  'Native American': ['Native American', 'a Native American', 'Native Americans'],
  women: ['female', 'a woman', 'women'],
  men: ['male', 'a man', 'men'],
  gay: ['gay', 'a gay man', 'gay people'],
  lesbian: ['lesbian', 'a lesbian', 'lesbians'],
  bisexual: ['bisexual', 'a bisexual woman', 'bisexual people'],
  trans: ['transgender', 'a trans woman', 'trans people'],
  queer: ['queer', 'a queer person', 'queer people'],
  disabled: ['disabled', 'a disabled person', 'disabled people'],
  deaf: ['deaf', 'a deaf person', 'deaf people'],
  blind: ['blind', 'a blind man', 'blind people'],
  autistic: ['autistic', 'an autistic person', 'autistic people'],
  old: ['elderly', 'an old man', 'elderly people'],
  immigrants: ['immigrant', 'an immigrant', 'immigrants'],
  refugees: ['refugee', 'a refugee', 'refugees'],
};

export interface AuditRow {
  group: string;
  sentences: number;
  /** by label: sentences that reach its threshold */
  flagged: Record<string, number>;
}

export function auditIdentities(model: Model): AuditRow[] {
  return Object.entries(GROUPS).map(([group, [adjective, one, many]]) => {
    const flagged: Record<string, number> = Object.fromEntries(model.labels.map(({ name }) => [name, 0]));
    for (const sentence of SENTENCES) {
      const text = sentence.replace('{adj}', adjective).replace('{one}', one).replace('{many}', many);
      const scores = scoreText(model, text);
      model.labels.forEach(({ name, threshold }, lane) => {
        if (scores[lane]! >= threshold) flagged[name]!++;
      });
    }
    return { group, sentences: SENTENCES.length, flagged };
  });
}
