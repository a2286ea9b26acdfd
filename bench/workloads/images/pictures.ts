/**
 * Pictures to send: JPEGs that cost as much to decode as photographs. Soft colours, shapes of a few pixels and grain are
 * drawn from a seed: the same seed gives the same pixels.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { seeded, type WorkloadRandom } from '../random.js';

export const MEGAPIXELS = [1, 4, 12] as const;
/** Pictures of each size. */
const COUNT = 4;
const QUALITY = 85;
/** Side of the tile of grain, in pixels. */
const GRAIN = 256;

/** Makes all pictures of the workload; answers their files by megapixels. */
export async function makeAllPictures(folder: string): Promise<Map<number, string[]>> {
  const files = new Map<number, string[]>();
  for (const megapixels of MEGAPIXELS) files.set(megapixels, await makePictures(folder, megapixels, COUNT));
  return files;
}

/** Writes `count` JPEGs of about `megapixels`, 4:3, to `folder`; answers their paths. */
export async function makePictures(folder: string, megapixels: number, count: number): Promise<string[]> {
  const random = seeded(20260601 + megapixels);
  const files: string[] = [];
  for (let n = 0; n < count; n++) {
    const file = join(folder, `${megapixels}-${n}.jpg`);
    writeFileSync(file, await picture(megapixels, random));
    files.push(file);
  }
  return files;
}

async function picture(megapixels: number, random: WorkloadRandom): Promise<Buffer> {
  const width = Math.round(Math.sqrt((megapixels * 1e6 * 4) / 3) / 16) * 16;
  const height = Math.round((width * 3) / 4);
  const layer = async (step: number, alpha: number): Promise<Buffer> => {
    const [w, h] = [Math.ceil(width / step), Math.ceil(height / step)];
    const noise = sharp(rgba(w * h, alpha, random), { raw: { width: w, height: h, channels: 4 } });
    return noise.resize(width, height, { fit: 'fill', kernel: 'cubic' }).png({ compressionLevel: 1 }).toBuffer();
  };
  const grain = await sharp(rgba(GRAIN * GRAIN, 24, random), { raw: { width: GRAIN, height: GRAIN, channels: 4 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return sharp(await layer(Math.ceil(width / 12), 255))
    .composite([{ input: await layer(12, 70) }, { input: grain, tile: true }])
    .flatten()
    .jpeg({ quality: QUALITY })
    .toBuffer();
}

/** Random pixels, all of the same opacity. */
function rgba(pixels: number, alpha: number, random: WorkloadRandom): Buffer {
  const data = Buffer.alloc(pixels * 4);
  for (let i = 0; i < data.length; i++) data[i] = i % 4 === 3 ? alpha : random.between(0, 255);
  return data;
}
