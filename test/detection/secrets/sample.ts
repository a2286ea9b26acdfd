/** Made-up texts that a pattern of a rule matches: classes, groups, alternatives and repetitions, with random choices. */

/** `next`: a random number below the one it is given. */
export function sampleOf(source: string, next: (below: number) => number): string {
  let at = 0;
  const alternatives = (): string => {
    const all = [sequence()];
    while (source[at] === '|') {
      at++;
      all.push(sequence());
    }
    return all[next(all.length)]!;
  };
  const sequence = (): string => {
    let made = '';
    while (at < source.length && source[at] !== '|' && source[at] !== ')') made += repeated();
    return made;
  };
  /** Parts are read again for each repetition, so each is another choice. */
  const repeated = (): string => {
    const start = at;
    let made = part();
    const quantifier = /\{(\d+)(?:(,)(\d+))?\}|[?*+]/y;
    quantifier.lastIndex = at;
    const match = quantifier.exec(source);
    if (!match) return made;
    const [whole, least = whole === '+' ? '1' : '0', , most = whole === '?' ? '1' : whole.length === 1 ? '8' : least] =
      match;
    const times = Number(least) + next(Number(most) - Number(least) + 1);
    made = '';
    for (let n = 0; n < times; n++) {
      at = start;
      made += part();
    }
    at = quantifier.lastIndex;
    return made;
  };
  const part = (): string => {
    const character = source[at++]!;
    if (character === '(') return group();
    if (character === '[') return fromClass();
    if (character !== '\\') return character;
    const escaped = source[at++]!;
    return escaped === 'w'
      ? pick('abcdefghijklmnopqrstuvwxyz0123456789')
      : escaped === 'd'
        ? pick('0123456789')
        : escaped;
  };
  const group = (): string => {
    const isLook = /^\?<?[=!]/.test(source.slice(at));
    at += isLook || source.startsWith('?:', at) ? source.slice(at).search(/[^?<=!:]/) : 0;
    const made = alternatives();
    at++;
    return isLook ? '' : made;
  };
  const fromClass = (): string => {
    let members = '';
    for (; source[at] !== ']'; at++) {
      if (source[at] === '\\') {
        at++;
        members += source[at] === 'w' ? 'abcdefghijklmnopqrstuvwxyz0123456789' : source[at];
      } else if (source[at + 1] === '-' && source[at + 2] !== ']') {
        const [from, to] = [source.charCodeAt(at), source.charCodeAt(at + 2)];
        for (let unit = from; unit <= to; unit++) members += String.fromCharCode(unit);
        at += 2;
      } else members += source[at];
    }
    at++;
    return pick(members);
  };
  const pick = (members: string): string => members[next(members.length)]!;
  return alternatives();
}
