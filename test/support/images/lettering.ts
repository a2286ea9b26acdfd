/** Text drawn with strokes of our own, so that reading it does not depend on the fonts of a machine. */
import sharp, { type Sharp } from 'sharp';

/** Strokes of a letter that is 60 wide and 100 high, as SVG path data. */
const STROKES: Readonly<Record<string, string>> = {
  A: 'M0 100 L30 0 L60 100 M12 62 H48',
  B: 'M0 0 V100 H28 C66 100 66 47 28 47 H0 M0 0 H25 C57 0 57 47 25 47',
  C: 'M57 16 C35 -12 0 0 0 50 C0 100 35 112 57 84',
  D: 'M0 0 V100 H20 C72 100 72 0 20 0 Z',
  E: 'M54 0 H0 V100 H54 M0 47 H46',
  F: 'M54 0 H0 V100 M0 47 H46',
  H: 'M0 0 V100 M60 0 V100 M0 47 H60',
  I: 'M30 0 V100',
  K: 'M0 0 V100 M56 0 L0 60 M20 42 L60 100',
  L: 'M0 0 V100 H52',
  M: 'M0 100 V0 L30 70 L60 0 V100',
  N: 'M0 100 V0 L60 100 V0',
  O: 'M30 0 C-10 0 -10 100 30 100 C70 100 70 0 30 0 Z',
  P: 'M0 100 V0 H28 C68 0 68 54 28 54 H0',
  R: 'M0 100 V0 H28 C66 0 66 50 28 50 H0 M30 50 L60 100',
  S: 'M54 14 C40 -8 2 -4 2 24 C2 56 58 42 58 74 C58 106 12 106 0 84',
  T: 'M0 0 H60 M30 0 V100',
  U: 'M0 0 V66 C0 112 60 112 60 66 V0',
  V: 'M0 0 L30 100 L60 0',
  W: 'M-6 0 L13 100 L30 20 L47 100 L66 0',
  X: 'M0 0 L60 100 M60 0 L0 100',
  Y: 'M0 0 L30 48 L60 0 M30 48 V100',
  Z: 'M2 0 H58 L0 100 H60',
};

/** Lines of capital letters and spaces, `height` pixels a letter, in `ink` on `paper`. */
export function lettering(lines: readonly string[], height = 40, ink = '#000', paper = '#fff'): Sharp {
  const [advance, leading, margin] = [88, 190, 60];
  const width = Math.max(...lines.map((line) => line.length)) * advance + 2 * margin;
  const total = (lines.length - 1) * leading + 100 + 2 * margin;
  const letters = lines.flatMap((line, row) =>
    [...line].map((letter, column) => {
      if (letter === ' ') return '';
      const strokes = STROKES[letter];
      if (strokes === undefined) throw new Error(`there are no strokes for "${letter}"`);
      return `<path transform="translate(${margin + column * advance} ${margin + row * leading})" d="${strokes}"/>`;
    }),
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${(width * height) / 100}" height="${(total * height) / 100}"
    viewBox="0 0 ${width} ${total}"><rect width="${width}" height="${total}" fill="${paper}"/>
    <g fill="none" stroke="${ink}" stroke-width="13" stroke-linejoin="round">${letters.join('')}</g></svg>`;
  return sharp(Buffer.from(svg)).removeAlpha();
}
