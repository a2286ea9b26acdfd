/**
 * Required literals of a pattern: a set of texts of which at least one occurs, case aside, wherever the pattern matches. The pattern
 * is tried only on texts that have one of them. Where nothing is certain there is no set.
 */

/** Shorter literals are in most texts. */
const MIN_LENGTH = 3;
const MAX_LITERALS = 64;
const MAX_GROUPS = 32;

/** Texts of which at least one occurs. */
type AlternativeTexts = readonly string[];

/** What a piece of a pattern matches: exactly these texts, or one of each of `needs` within. */
interface PatternPiece {
  exact: AlternativeTexts | undefined;
  needs: readonly AlternativeTexts[];
}

interface PatternReader {
  pattern: string;
  at: number;
  depth: number;
}

const UNKNOWN: PatternPiece = { exact: undefined, needs: [] };
const CLASS_ESCAPES = /[dDwWsSpPbBAzCQE]/;
const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', a: '\x07' };

/** undefined: there is no such set. */
export function requiredLiterals(pattern: string): AlternativeTexts | undefined {
  return bestOf(read(pattern));
}

/** All that is needed is looked for where that takes few searches. */
const MAX_NEEDS = 4;
const MAX_TEXTS = 8;

/** Sets of texts of ASCII, in small letters, of each of which one occurs, case aside, wherever the pattern matches. They may be short. */
export function neededTexts(pattern: string): AlternativeTexts[] {
  return needsOf(read(pattern))
    .filter((texts) => texts.length <= MAX_TEXTS)
    .slice(0, MAX_NEEDS)
    .map((texts) => texts.map((text) => text.toLowerCase()));
}

/** Whether `text`, in small letters, has one of each of `needs`. */
export function hasNeeded(text: string, needs: readonly AlternativeTexts[]): boolean {
  return needs.every((texts) => texts.some((each) => text.includes(each)));
}

function read(pattern: string): PatternPiece {
  const reader: PatternReader = { pattern, at: 0, depth: 0 };
  try {
    const piece = readAlternation(reader);
    return reader.at < pattern.length ? UNKNOWN : piece;
  } catch {
    return UNKNOWN;
  }
}

/** What a piece needs: sets without the empty text. */
const needsOf = ({ exact, needs }: PatternPiece): readonly AlternativeTexts[] =>
  (exact ? [exact] : needs).filter(isCertain);
const isCertain = (texts: AlternativeTexts): boolean => texts.length > 0 && shortest(texts) > 0;

function bestOf(piece: PatternPiece): AlternativeTexts | undefined {
  return needsOf(piece).filter(useful).reduce(better, undefined);
}

function useful(texts: AlternativeTexts): boolean {
  return texts.length > 0 && texts.length <= MAX_LITERALS && shortest(texts) >= MIN_LENGTH;
}

function shortest(texts: AlternativeTexts): number {
  return Math.min(...texts.map((text) => text.length));
}

function better(a: AlternativeTexts | undefined, b: AlternativeTexts): AlternativeTexts {
  if (!a) return b;
  return shortest(b) > shortest(a) || (shortest(b) === shortest(a) && b.length < a.length) ? b : a;
}

function readAlternation(reader: PatternReader): PatternPiece {
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
    if (all.length <= MAX_LITERALS) return { exact: all, needs: [] };
  }
  const all: string[] = [];
  for (const branch of branches) {
    const best = bestOf(branch);
    if (!best) return UNKNOWN;
    all.push(...best);
  }
  return all.length <= MAX_LITERALS ? { exact: undefined, needs: [all] } : UNKNOWN;
}

function readSequence(reader: PatternReader): PatternPiece {
  let run: string[] = [''];
  const needs: AlternativeTexts[] = [];
  let whole = true;
  const flush = (): void => {
    needs.push(run);
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
    needs.push(...needsOf(piece));
  }
  if (whole) return { exact: run, needs: [] };
  flush();
  return { exact: undefined, needs: needs.filter(isCertain) };
}

/** One atom and its repetition. */
function readRepeated(reader: PatternReader): PatternPiece {
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
  return { exact: undefined, needs: needsOf(piece) };
}

function readAtom(reader: PatternReader): PatternPiece {
  const { pattern } = reader;
  const character = String.fromCodePoint(pattern.codePointAt(reader.at)!);
  reader.at += character.length;
  if (character === '(') return readGroup(reader);
  if (character === '[') return readClass(reader);
  if (character === '\\') return readEscape(reader);
  if (character === '.') return UNKNOWN;
  if (character === '^' || character === '$') return { exact: [''], needs: [] };
  return literal(character);
}

/** Letters beyond ASCII may fold to others (the Kelvin sign to K), so only ASCII is certain. */
function literal(character: string): PatternPiece {
  return character.charCodeAt(0) < 128 ? { exact: [character], needs: [] } : UNKNOWN;
}

function readGroup(reader: PatternReader): PatternPiece {
  const { pattern } = reader;
  if (pattern[reader.at] === '?') {
    const head = /^\?(?:P?<[A-Za-z_]\w*>|[ims-]*:|[ims-]+\))/.exec(pattern.slice(reader.at, reader.at + 64));
    if (!head) throw new SyntaxError('group');
    reader.at += head[0].length;
    if (head[0].endsWith(')')) return { exact: [''], needs: [] };
  }
  const inner = readAlternation(reader);
  if (pattern[reader.at] !== ')') throw new SyntaxError('group');
  reader.at++;
  return inner;
}

function readClass(reader: PatternReader): PatternPiece {
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

function readEscape(reader: PatternReader): PatternPiece {
  const character = reader.pattern[reader.at++] ?? '';
  if (character === 'b' || character === 'B' || character === 'A' || character === 'z') {
    return { exact: [''], needs: [] };
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
