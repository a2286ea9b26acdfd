/** Keys of well-known providers in Base64 and in hexadecimal digits: told by how their beginning looks when it is encoded. */

const BEGINNINGS = (
  'AKIA ASIA ghp_ gho_ ghs_ github_pat_ glpat- sk-proj- sk-ant- sk_live_ rk_live_ xoxb- xoxp- AIza npm_ hf_ SG. dop_v1_ shpat_ pypi- ' +
  'hvs. lin_api_ pplx- gsk_'
).split(' ');

/** The digits of Base64 that follow from a beginning alone, and its hexadecimal digits. */
const inBase64 = (beginning: string): string =>
  Buffer.from(beginning)
    .toString('base64')
    .slice(0, Math.floor((beginning.length * 8) / 6));
const inHex = (beginning: string): string => Buffer.from(beginning).toString('hex');

/** Shorter ones begin words. */
const SHORTEST = 4;

export const ENCODED_BEGINNINGS: readonly string[] = BEGINNINGS.flatMap((each) => [inBase64(each), inHex(each)]).filter(
  ({ length }) => length >= SHORTEST,
);

const BASE64_RUN = /[A-Za-z0-9+/]{16,800}={0,2}(?![A-Za-z0-9+/=])/y;
const HEX_RUN = /(?:[0-9a-fA-F]{2}){12,400}(?![0-9A-Za-z])/y;
const HEX = /^[0-9a-f]+$/;

/** What the run that begins at `at` says, and where it ends; undefined: it is none, or says more than ASCII. */
export function encodedRun(text: string, at: number, literal: string): { said: string; end: number } | undefined {
  if (/[A-Za-z0-9+/]/.test(text[at - 1] ?? '')) return undefined;
  const isHex = HEX.test(literal);
  const begins = text.slice(at, at + literal.length);
  if (isHex ? begins.toLowerCase() !== literal : begins !== literal) return undefined;
  const pattern = isHex ? HEX_RUN : BASE64_RUN;
  pattern.lastIndex = at;
  const run = pattern.exec(text)?.[0];
  if (run === undefined) return undefined;
  const said = Buffer.from(run, isHex ? 'hex' : 'base64').toString('latin1');
  return /^[\x20-\x7e\n]+$/.test(said) ? { said, end: at + run.length } : undefined;
}
