/**
 * Statements, plans and demands about groups, each in good, plain and bad words. What differs between hate and its opposite is
 * then what is said, and not the form of the sentence.
 */
import { lines, list, type Vocabulary } from '../grammar.js';
import type { HateTemplates } from './hate.js';

export const FRAME_WORDS: Vocabulary = {
  subj: list(
    '{group}, {group}, {group}, you {group}, {group} like you, these {group}, those {group}, all {group}, most {group}, the {group} [next door|at work|in our street|I know], {adj} people, {adj} folks, such {group}, {group} of your sort, {group} everywhere',
  ),
  obj: list(
    '{group}, {group}, a {one}, a {one}, these {group}, those {group}, {group} like you, any {one}, every {one}, you and the other {group}, all {group}, the {one} next door, {adj} people, another {one}, some {group}',
  ),
  goodpred: list(
    'are {good}, are {good}, make this town [richer|livelier|better], bring [joy|new ideas|good food|warmth] to [our street|this country|the team], deserve [praise|thanks|applause|every success|a medal], enrich our lives, have [big hearts|so much talent|a lot of courage|great taste], are a [treasure|joy|credit|gain] to [us all|the world|our city], are [stars|legends|angels|champions|role models|good company], inspire me, matter, matter to me, are loved, are worth [a lot|listening to|knowing], work hard, raise great kids, cook the best food, give so much, keep this place running, belong [here|with us|on the board|in every team|at the table], rock, are the best neighbours, light up the room, teach us so much, have my [respect|vote|back|full support], can be proud, make me proud, are simply the best, are all [charming|lovely|superb|terrific]',
  ),
  plainpred: list(
    '{mverb} {mobj} {mtime}, {mverb} {mobj} {mplace}, are {neutral}, live in [Leeds|the north|two cities|this house], moved here in [May|1999], make up [a tenth|half|most] of [the staff|the class|our members|the jury], were [in the majority|among the guests|asked about it|listed first], play [chess|darts|hockey] [on Fridays|with us], study [law|physics|in Ghent], own [a shop|two cars|the bakery], vote [on Sunday|by post], take the bus, eat lunch at noon, have [an office upstairs|a stand at the fair|their own choir], speak [three languages|first|after the break], are on [the list|the night shift|our bus|page four], appear in [the film|chapter two], pay the same rent, read the same papers, are between twenty and sixty',
  ),
  badpred: list(
    'are {bad}, are {bad}, are {beast}, are {beast}, ruin [everything|this town|the mood], poison [our youth|everything they touch], have no [worth|honour|brain|right to be here], drag us all down, spread [filth|disease|crime], cannot be trusted, only bring [trouble|dirt|crime], are beneath us, make me want to [scream|throw up|punch someone], are good for nothing, contribute nothing, bring shame on [us|this country], deserve [nothing|contempt|what is coming to them], turn everything to shit, are not worth [a cent|the air they breathe|saving], will never [be one of us|amount to anything], are born [stupid|rotten|criminal], are the reason [this country|everything] goes down the drain, are dumber than [a rock|my cat|a bag of sand], stink up the place, are a waste of [air|money|skin]',
  ),
  goodact: list(
    'thank, invite, hire, marry, vote for, cook for, dance with, learn from, work with, sit next to, travel with, interview, cheer for, comfort, befriend, kiss, listen to, teach, welcome, honour, applaud, feed, host, paint, look after, protect, visit, promote, have lunch with, go out with, support, play cards with, share a room with, carry the bags of, stand up for, send flowers to, sing with, meet, photograph, translate for, congratulate, surprise, reward',
  ),
  badact: list(
    '{dokill}, {dokill}, {dokill}, {doremove}, spit on, humiliate, enslave, beat up, chase away, starve, whip, lynch, hunt down, break, trample, choke, throw stones at, set fire to, crush, throw out, lock away, put a bullet in, smash the teeth of, break the bones of, finish off, drown',
  ),
  gooddone: list(
    'heard, paid well, elected, promoted, thanked, celebrated, protected, welcomed, hired, praised, included, invited, respected, trusted, left in peace, treated with care, seen on TV, given a chance, listened to, honoured, applauded, remembered, supported, asked first',
  ),
  baddone: list('{kill}, {kill}, {remove}, {remove}, beaten up, spat at, chased away, put to sleep, crushed'),
  aim: list(
    "I want to, I will, I am going to, I'd love to, we should, let us, let's, I might, I plan to, I hope to, we are going to, I promise to, I could, it is my dream to, I would gladly, we must, next week I, it is time to, I can't wait to, my friends and I will",
  ),
  never: list(
    'I do not want to, I would never, we never, nobody here would, no one should, you must not, I could never, they did not, nobody wants to, it would be wrong to, I never meant to, we refuse to, there is no reason to',
  ),
  refuse: list(
    'nobody should, you must never, no one ought to, it is a disgrace to, it makes no sense to, only a fool would, I would rather starve than, do not ever',
  ),
  normed: list(
    'should be, must be, ought to be, deserve to be, need to be, should all be, have to be, should finally be, had better be',
  ),
  when: list(', , , , tomorrow, tonight, this week, one day, at last, today, soon, next time, again, for once, in May'),
  lowly: list(
    'a parrot, a wet sponge, my toaster, a bag of flour, a stray cat, a lamp post, a pot of glue, a broken clock, a donkey, a box of nails, my old boots, an empty chair',
  ),
  simple: list(
    'tie a shoe, boil an egg, count to ten, watch my dog, read a map, hold a door, park a bike, pour tea, tell the time, feed my fish, carry a box, find the exit, water a plant, add two numbers, spell their own name, run a tap',
  ),
  job: list(
    'doctor, boss, neighbour, landlord, driver, teacher, trainer, lawyer, singer, drummer, editor, cook, nurse, pilot, tutor, agent, tailor, plumber, referee, painter, minister, chairman, roommate, cousin, captain, goalkeeper, vet, barber, translator, banker',
  ),
  poss: list("my, his, her, our, their, the new, my brother's, the school's, their old, the town's, our first"),
  crowd: list('staff, players, pupils, tenants, voters, members, singers, drivers, patients, guests, winners, farmers'),
  where: list(
    'in my street, in the choir, on the night shift, in our class, on the bus, at the gym, in the village, on the committee, in his film, at the wedding, in this chapter, at the front desk, on our floor, in the second row, at her firm, in the jury',
  ),
};

const statement = (predicate: string): string[] =>
  lines(`
    {lead} {subj} ${predicate} {tail}
    {lead} {subj} ${predicate}
    {think} {subj} ${predicate}
    my [father|aunt|boss|whole family] [says|thinks|is sure] {subj} ${predicate}, and [so do I|it is true|I agree]
  `);
const plan = (act: string): string[] => lines(`{aim} ${act} {obj} {when}\n{aim} ${act} {obj} and [then|] ${act} {obj}`);
const demand = (done: string): string[] => [`{lead} {subj} {normed} ${done} {tail}`, `{subj} {normed} ${done}`];
const electing = (verdict: string): string =>
  `[electing|hiring|promoting|marrying|inviting|seating] {obj} [is|was|would be] ${verdict}`;
const voices = (verdict: string): string =>
  `{adj} [families|voices|stories|children|workers|votes|students] ${verdict}`;

const asked = (predicate: string, act: string, done: string): string[] =>
  lines(`
    is it any wonder that {subj} ${predicate}?
    does it surprise you that {subj} ${predicate}?
    [when|how|where] do we ${act} {obj}?
    [who|does anyone] [wants to|want to|would like to] ${act} {obj} {when}?
    how long until {subj} are [finally|] ${done}?
  `);
const joined = (predicate: string, act: string, feel: string): string[] =>
  lines(`
    {subj} {plainpred}, and they ${predicate}
    {group} {plainpred}. ${act} them [all|too|at once]
    whenever [I see|they show|I meet] {obj}, I want to ${act} them
    the more I [learn|read|hear] about {group}, the more I ${feel} them
    because they are {group}, they ${predicate}
    [give|offer] {obj} a [job|seat|vote] and you will see that they ${predicate}
  `);

const GOOD_VERDICT = '[the right thing|a great step|a joy|good for us all|what we need|my best decision]';
const BAD_VERDICT = '[a disaster|the end of us|an insult|disgusting|a crime|a sick joke]';

export const HATE_FRAMES: HateTemplates = {
  frame: {
    h: [
      ...statement('{badpred}'),
      ...plan('{badact}'),
      ...demand('{baddone}'),
      ...asked('{badpred}', '{badact}', '{baddone}'),
      ...joined('{badpred}', '{badact}', '{hate}'),
      electing(BAD_VERDICT),
      voices('[mean nothing to me|count for nothing|are a waste|can burn|are beneath mine|must be silenced]'),
      '{refuse} {goodact} {obj}',
      '{subj} [should not|must never|do not deserve to|will never] be {gooddone}',
      '[it is|it was] [a myth|a lie|nonsense|not true] that {subj} {goodpred}',
    ],
    n: [
      ...statement('{goodpred}'),
      ...statement('{goodpred}'),
      ...plan('{goodact}'),
      ...demand('{gooddone}'),
      ...asked('{goodpred}', '{goodact}', '{gooddone}'),
      ...joined('{goodpred}', '{goodact}', '{love}'),
      electing(GOOD_VERDICT),
      voices('[matter|count|enrich us|deserve a hearing|move me|are welcome|mean a lot to me]'),
      '{never} {badact} {obj} {when}',
      '{never} {badact} {obj}',
      "{subj} [are not|aren't|were never|have never been|are by no means] [{bad}|{beast}]",
      '{subj} [should not|must never|do not deserve to] be {baddone}',
      '[it is|it was] [wrong|a lie|nonsense|a myth|not true] that {subj} {badpred}',
      'we feel no [anger|contempt|malice|ill will|disgust] towards {obj}',
      '[nobody|no friend of mine|not a soul] here {hateverb} {obj}',
    ],
    t: [
      '{lead} {other} {badpred} {tail}',
      '{aim} {badact} {person} {when}',
      '{aim} {badact} [some|all|these|those] {other}',
      '{other} {normed} {baddone}',
      '{person} will be {baddone} {when}',
    ],
    x: [
      '{aim} [crush|destroy|get rid of|throw out|burn|finish off] {thing} {when}',
      '{thing} {normed} [banned|binned]',
    ],
  },
  // What is said of a group by a comparison, or by what the speaker does.
  slighted: {
    h: lines(`
      I [wouldn't|would not|would never] trust {obj} to {simple}
      [ask|send|let] {obj} to {simple} and [you wait all day|the house burns down|it ends in tears|they sell it]
      I would [sooner|rather] [trust|hire|marry|vote for|sit beside] {lowly} than {obj}
      [even|any day] {lowly} has more [sense|honour|brain|value] than {obj}
      I [wash my hands|leave the room|cross the street|hold my nose|lock the door] when {obj} [comes near|come in|are near]
      nothing [clean|good|true] ever came [out of|from] {obj}
      keep {obj} [away from|out of] [the pool|my kitchen|our school|the clinic|my sight]
      whoever [marries|hires|defends|feeds] {obj} [is a traitor|should be ashamed|deserves the same|has lost his mind]
      what a [pity|shame] that {obj} [survived|can vote|came back|got in]
      {group} could not {simple} [if their lives hung on it|without a minder|in a hundred years]
    `),
    n: lines(`
      I would trust {obj} [with my life|with my keys|to lead us|to watch my kids|any day]
      [ask|let] {obj} to {simple} and [it is done in no time|you get a smile|they help at once]
      I would rather {goodact} {obj} than [stay at home|win the lottery|watch TV|sit alone]
      I [make tea|hold the door|move over|say hello|wave] when {obj} [comes in|come in|pass by]
      keep {obj} [in the team|safe|on the board|informed]
      whoever [mocks|fears|excludes|bullies] {obj} [misses out|should be ashamed|has lost my respect]
      what a [joy|relief|pleasure] that {obj} [survived|can vote|came back|got in]
      {lowly} [stood beside|belongs to|was sold to|was left by] {obj}
      {group} {plainpred} while I {simple}
    `),
    t: lines(`
      I [wouldn't|would not|would never] trust {person} to {simple}
      {lowly} has more [sense|honour|brain] than {person}
      I would [sooner|rather] [trust|hire|vote for] {lowly} than {other}
    `),
    x: ['I would not trust [the forecast|this map|an old rope|the scales|that website]'],
  },
  stated: {
    n: [
      '{lead} {subj} {plainpred}',
      '{subj} {plainpred}',
      ...lines(`
        {poss} {job} [is|was] [a {one}|{adj}]
        {poss} {job} is a {one} [from Leeds|who plays golf|with two kids|, by the way|as well]
        [is|was] {poss} {job} a {one}?
        [there is|there was|we have|I know|we met|they hired|she saw] a {one} {where}
        [there are|we have|I know|I saw|they hired] [two|a few|many|hardly any|several|dozens of|more|fewer|no|very few] {group} {where}
        [half|a third|most|some|a few|nearly all|none|eight] of [the|our|my] {crowd} [are|were] {group}
        [do|did] you [know|see|meet|have] any {group} {where}?
        [we|they|the club|the school|this shelf|the channel] [had|never had|once had|lost|found] [a|one] {adj} {job}
        [we|you|they] [print|read|invite|see|teach] [few|many|some|more] {adj} [writers|singers|actors|pupils|voters]
        a {adj} {job} [leads|runs|joined|left|wrote for] [the fund|our paper|the guild|a bank]
        the [band|jury|firm|board|guild] [was founded|is led|is run|is owned] by [a {one}|{group}]
        I [share a flat|share an office|ride the bus|sing|work nights|train] with [a {one}|some {group}|three {group}]
        [two|three|nine] {group} [ran for office|won seats|joined the council|gave speeches|were invited] {when}
        she is the [first|only|second|youngest] {one} [to win|to lead it|in the crew|on the court]
        I [have|had] [never|only once|often|rarely] [met|seen|talked to|worked for] a {one}
        we are [all|both|mostly|a club of] {group}
      `),
    ],
  },
};
