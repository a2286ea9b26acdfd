/** What Korean puts behind a noun without a space. */

const PARTICLES = (
  '들 은 는 이 가 을 를 의 에 에서 에게 께 께서 한테 에게서 한테서 로 으로 로서 으로서 로써 으로써 로부터 으로부터 와 과 하고 랑 이랑 도 만 부터 ' +
  '까지 마다 처럼 같이 보다 밖에 조차 마저 라도 이라도 나 이나 든지 이든지 야 이야 여 이여 라고 이라고 라는 이라는 란 이란 요 이요 님 씨 쯤 뿐 ' +
  '대로 만큼 커녕 다 이다 입니다 입니까 이에요 예요 였다 이었다 였습니다 이었습니다 인 인데 이고 이며 이면 이지 인지 인가 일 임 이니까 니까'
).split(' ');
const PARTICLE = new RegExp(`^(?:${PARTICLES.join('|')}){1,3}$`);
/** Verbs and adjectives that are made of a noun: to do, to be done, to have done, to suffer, to be like. */
const VERB = /^(?:하|해|했|한|할|합|함|되|돼|됐|된|될|됨|됩|시키|시켜|시킨|시켰|당하|당한|당해|당했|스러|스럽|적)/;

/** Whether `tail`, the rest of a word behind a noun of so many syllables, leaves it that noun. */
export function isParticle(tail: string, syllables: number): boolean {
  return PARTICLE.test(tail) || (syllables > 1 && VERB.test(tail));
}
