/** Pictures as people make them, the same for the same seed, and what hashing needs of them. */
import sharp, { type Sharp } from 'sharp';
import { PDQ_SIDE, type PdqPixels } from '#weir/shared/pdq/pdq';
import { randomFrom } from './images.ts';

export const KINDS = ['photo', 'gradients', 'noise', 'text'] as const;
export type Kind = (typeof KINDS)[number];

/** An image of a kind, as PNG. */
export function picture(kind: Kind, seed: number, width: number, height: number): Promise<Buffer> {
  const next = randomFrom(seed * 1000 + KINDS.indexOf(kind));
  if (kind === 'noise') return noise(next, width, height, 12).png().toBuffer();
  const draw = { photo, gradients, text }[kind];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 1000 1000"
    preserveAspectRatio="none">${draw(next)}</svg>`;
  const image = sharp(Buffer.from(svg)).removeAlpha();
  return kind === 'photo' ? grained(image, next, width, height) : image.png().toBuffer();
}

/** The pixels of a file as they are to be hashed: at most 512 × 512. */
export async function pixelsOf(file: Buffer): Promise<PdqPixels> {
  const { width, height } = await sharp(file).metadata();
  const large = width > PDQ_SIDE || height > PDQ_SIDE;
  const image = large ? sharp(file).resize(PDQ_SIDE, PDQ_SIDE, { fit: 'fill' }) : sharp(file);
  const raw = image.removeAlpha().toColourspace('srgb').raw();
  const { data, info } = await raw.toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels as 1 | 3 };
}

/** Patches of random colour, `cells` of them across, without hard edges. */
function noise(next: () => number, width: number, height: number, cells: number): Sharp {
  const data = Buffer.from(Array.from({ length: cells * cells * 3 }, () => next() * 256));
  const small = sharp(data, { raw: { width: cells, height: cells, channels: 3 } });
  return small.resize(width, height, { fit: 'fill', kernel: 'cubic' });
}

const colour = (next: () => number): string =>
  `hsl(${(next() * 360) | 0},${(20 + next() * 60) | 0}%,${(15 + next() * 65) | 0}%)`;

function gradient(next: () => number, id: string): string {
  const stops = [0, 0.5, 1].map((at) => `<stop offset="${at}" stop-color="${colour(next)}"/>`).join('');
  return `<linearGradient id="${id}" x1="${next()}" y1="${next()}" x2="${next()}" y2="${next()}">${stops}</linearGradient>`;
}

/** A sky, hills, and things that stand about, slightly out of focus. */
function photo(next: () => number): string {
  const parts = [`<defs>${[0, 1, 2, 3, 4].map((i) => gradient(next, `g${i}`)).join('')}</defs>`];
  parts.push('<rect width="1000" height="1000" fill="url(#g0)"/>');
  for (let hill = 1; hill < 4; hill++) {
    const base = 250 + hill * 180;
    const points = Array.from({ length: 9 }, (_, i) => `${i * 125},${(base + (next() - 0.5) * 260) | 0}`).join(' ');
    parts.push(`<polygon points="0,1000 ${points} 1000,1000" fill="url(#g${hill})"/>`);
  }
  for (let thing = 0; thing < 14; thing++) {
    const [x, y, rx, ry] = [next() * 1000, next() * 1000, 20 + next() * 110, 20 + next() * 140].map(Math.round);
    parts.push(`<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${colour(next)}" opacity="0.9"/>`);
  }
  return parts.join('');
}

function gradients(next: () => number): string {
  const parts: string[] = [];
  for (let i = 0; i < 12; i++) {
    const [x, y, w, h] = [next() * 800, next() * 800, 150 + next() * 400, 150 + next() * 400].map(Math.round);
    parts.push(
      `<defs>${gradient(next, `g${i}`)}</defs><rect x="${x}" y="${y}" width="${w}" height="${h}" fill="url(#g${i})"/>`,
    );
  }
  return `<rect width="1000" height="1000" fill="${colour(next)}"/>${parts.join('')}`;
}

/** A few lines of large writing; strokes beside the letters, since a machine may have no font. */
function text(next: () => number): string {
  const lines: string[] = [];
  for (let y = 170; y < 960; y += 190) {
    const end = 350 + next() * 600;
    for (let x = 30 + next() * 250; x < end; x += 40 + next() * 35) {
      if (next() < 0.2) x += 70;
      const [dx, dy] = [(next() - 0.5) * 60, 60 + next() * 60].map(Math.round);
      lines.push(
        `<path d="M${x | 0},${y} q${dx},${-dy! / 2} ${dx! / 2},${-dy!}" stroke-width="${(12 + next() * 16) | 0}"/>`,
      );
    }
  }
  const words = `<text x="40" y="540" font-size="150" font-family="sans-serif" stroke="none" fill="#a00">${(next() * 1e6) | 0}</text>`;
  return `<rect width="1000" height="1000" fill="#fdfdf6"/><g stroke="#222" fill="none">${lines.join('')}${words}</g>`;
}

async function grained(image: Sharp, next: () => number, width: number, height: number): Promise<Buffer> {
  const data = await image.blur(1.2).raw().toBuffer();
  for (let i = 0; i < data.length; i++) data[i] = Math.max(0, Math.min(255, data[i]! + (next() - 0.5) * 14));
  return sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

/** Bits in which two hashes differ. */
export function distanceOf(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) for (let bits = a[i]! ^ b[i]!; bits > 0; bits &= bits - 1) sum++;
  return sum;
}
