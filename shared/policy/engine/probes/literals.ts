/**
 * Required literals of a pattern: a set of texts of which at least one occurs, case aside, wherever the pattern matches. The pattern
 * is tried only on texts that have one of them. Where nothing is certain there is no set.
 */

/** Shorter literals are in most texts. */
const MIN_LENGTH = 3;
const MAX_LITERALS = 64;
const MAX_GROUPS = 32;

/** What a piece of a pattern matches: exactly these texts, or at least one of `required` within. */
interface Piece {
  exact: string[] | undefined;
  required: string[] | undefined;
}

interface Reader {
  pattern: string;
  at: number;
  depth: number;
}

const UNKNOWN: Piece = { exact: undefined, required: undefined };
const CLASS_ESCAPES = /[dDwWsSpPbBAzCQE]/;
const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', a: '\x07' };

/** undefined: there is no such set. */
export function requiredLiterals(pattern: string): string[] | undefined {
  const reader: Reader = { pattern, at: 0, depth: 0 };
  try {
    const piece = readAlternation(reader);
    if (reader.at < pattern.length) return undefined;
    return bestOf(piece);
  } catch {
    return undefined;
  }
}

function bestOf(piece: Piece): string[] | undefined {
  if (piece.exact && useful(piece.exact)) return piece.exact;
  return piece.required && useful(piece.required) ? piece.required : undefined;
}

function useful(texts: readonly string[]): boolean {
  return texts.length > 0 && texts.length <= MAX_LITERALS && shortest(texts) >= MIN_LENGTH;
}

function shortest(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => text.length));
}

function better(a: string[] | undefined, b: string[] | undefined): string[] | undefined {
  if (!a) return b;
  if (!b) return a;
  return shortest(b) > shortest(a) || (shortest(b) === shortest(a) && b.length < a.length) ? b : a;
}

function readAlternation(reader: Reader): Piece {
  if (++reader.depth > MAX_GROUPS) throw new RangeError('nested too deeply');
  const branches = [readSequence(reader)];
  while (reader.pattern[reader.at] === '|') {
    reader.at++;
    branches.push(readSequence(reader));
  }
  reader.depth--;
  if (branches.length === 1) return branches[0]!;
  if (branches.every((branch) => branch.exact)) {
    const all = branches.flatMap((branch) => branch.exact!);
    if (all.length <= MAX_LITERALS) return { exact: all, required: undefined };
  }
  const all: string[] = [];
  for (const branch of branches) {
    const best = bestOf(branch);
    if (!best) return UNKNOWN;
    all.push(...best);
  }
  return all.length <= MAX_LITERALS ? { exact: undefined, required: all } : UNKNOWN;
}

function readSequence(reader: Reader): Piece {
  let run: string[] = [''];
  let required: string[] | undefined;
  let whole = true;
  const flush = (): void => {
    if (useful(run)) required = better(required, run);
    run = [''];
    whole = false;
  };
  while (reader.at < reader.pattern.length) {
    const next = reader.pattern[reader.at]!;
    if (next === '|' || next === ')') break;
    const piece = readRepeated(reader);
    if (piece.exact && run.length * piece.exact.length <= MAX_LITERALS) {
      const tails = piece.exact;
      run = run.flatMap((head) => tails.map((tail) => head + tail));
      continue;
    }
    flush();
    const best = bestOf(piece);
    if (best) required = better(required, best);
  }
  if (whole) return { exact: run, required: undefined };
  flush();
  return { exact: undefined, required };
}

/** One atom and its repetition. */
function readRepeated(reader: Reader): Piece {
  const piece = readAtom(reader);
  const rest = reader.pattern.slice(reader.at, reader.at + 16);
  const repeat = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(rest);
  if (!repeat) {
    // RE2 takes a brace that is no repetition for a literal. That is rare, so the pattern just gets no set.
    if (rest.startsWith('{')) throw new SyntaxError('brace');
    return piece;
  }
  reader.at += repeat[0].length;
  const zero = repeat[0][0] === '*' || repeat[0][0] === '?' || (repeat[1] !== undefined && Number(repeat[1]) === 0);
  if (zero) return UNKNOWN;
  return { exact: undefined, required: bestOf(piece) };
}

function readAtom(reader: Reader): Piece {
  const { pattern } = reader;
  const character = String.fromCodePoint(pattern.codePointAt(reader.at)!);
  reader.at += character.length;
  if (character === '(') return readGroup(reader);
  if (character === '[') return readClass(reader);
  if (character === '\\') return readEscape(reader);
  if (character === '.') return UNKNOWN;
  if (character === '^' || character === '$') return { exact: [''], required: undefined };
  return literal(character);
}

/** Letters beyond ASCII may fold to others (the Kelvin sign to K), so only ASCII is certain. */
function literal(character: string): Piece {
  return character.charCodeAt(0) < 128 ? { exact: [character], required: undefined } : UNKNOWN;
}

function readGroup(reader: Reader): Piece {
  const { pattern } = reader;
  if (pattern[reader.at] === '?') {
    const head = /^\?(?:P?<[A-Za-z_]\w*>|[ims-]*:|[ims-]+\))/.exec(pattern.slice(reader.at, reader.at + 64));
    if (!head) throw new SyntaxError('group');
    reader.at += head[0].length;
    if (head[0].endsWith(')')) return { exact: [''], required: undefined };
  }
  const inner = readAlternation(reader);
  if (pattern[reader.at] !== ')') throw new SyntaxError('group');
  reader.at++;
  return inner;
}

function readClass(reader: Reader): Piece {
  const { pattern } = reader;
  if (pattern[reader.at] === '^') reader.at++;
  if (pattern[reader.at] === ']') reader.at++;
  while (pattern[reader.at] !== ']') {
    if (reader.at >= pattern.length) throw new SyntaxError('class');
    if (pattern.startsWith('[:', reader.at)) {
      const end = pattern.indexOf(':]', reader.at);
      if (end < 0) throw new SyntaxError('class');
      reader.at = end + 2;
    } else reader.at += pattern[reader.at] === '\\' ? 2 : 1;
  }
  reader.at++;
  return UNKNOWN;
}

function readEscape(reader: Reader): Piece {
  const character = reader.pattern[reader.at++] ?? '';
  if (character === 'b' || character === 'B' || character === 'A' || character === 'z') {
    return { exact: [''], required: undefined };
  }
  if (/[pP]/.test(character)) {
    const name = /^(?:\{[^}]*\}|.)/.exec(reader.pattern.slice(reader.at));
    reader.at += name?.[0].length ?? 0;
    return UNKNOWN;
  }
  if (character === 'Q' || character === 'E' || character === 'C') throw new SyntaxError('escape');
  if (CLASS_ESCAPES.test(character)) return UNKNOWN;
  if (NAMED[character] !== undefined) return literal(NAMED[character]!);
  if (/[0-9xuUkgc]/.test(character)) throw new SyntaxError('escape');
  return literal(character);
}
