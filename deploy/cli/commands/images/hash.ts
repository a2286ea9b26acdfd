import sharp from 'sharp';
import { FileError, readFileAtMost } from '../../../../shared/files.js';
import { PDQ_MIN_QUALITY, PDQ_SIDE, type PdqPixels, pdq, pdqToHex } from '../../../../shared/pdq/pdq.js';
import { isPng, readPng } from '../../../../workers/images/decode/formats/png.js';
import { type Command, CommandUsageError } from '../../command.js';

/** Limits of a file. They are wider than those of images that callers send, because originals are larger. */
const MAX_BYTES = 100 * 1024 * 1024;
const MAX_PIXELS = 200_000_000;

/** Prints the PDQ hash of images, one line each, as `weir hashes add` and a list of hashes take it. */
export const hash: Command = {
  usage: `weir hash FILE…

Prints HASH,QUALITY,FILE for each image: 64 hexadecimal digits, and 0 to 100. Do not put images with a quality below ${PDQ_MIN_QUALITY} on
a list: they have too few details to be recognised.

The service hashes images in the same way when it checks them, as people see them: turned by their EXIF data, in the
colours of their profile, transparent parts on white, and the first frame of an animation. A PNG whose animation does not
begin with its image has no hash, and fails when it is checked.

The output is a list of hashes:  weir hash *.jpg > hashes.txt;  weir hashes add LISTFILE --from hashes.txt
When a file cannot be read, the others are still hashed, and the exit code is 1.`,
  async run({ positionals }, output) {
    if (positionals.length === 0) throw new CommandUsageError('expected at least one FILE');
    let failed = false;
    for (const file of positionals) {
      try {
        const result = pdq(await pixelsOf(file));
        output.out(`${pdqToHex(result.hash)},${result.quality},${file}`);
      } catch (error) {
        failed = true;
        output.err(`${file}: ${reason(error)}`);
      }
    }
    return failed ? 1 : 0;
  },
};

/** Decodes a file to the pixels that are hashed. */
async function pixelsOf(file: string): Promise<PdqPixels> {
  const bytes = readFileAtMost(file, MAX_BYTES);
  // A viewer would show other pixels than those that are decoded.
  if (isPng(bytes) && !readPng(bytes))
    throw new Error('its header is damaged, or its animation begins with another image');
  const image = sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS, sequentialRead: true });
  const { width, height } = await image.metadata();
  const shown = image.autoOrient().flatten({ background: '#ffffff' });
  const decoded = width > PDQ_SIDE || height > PDQ_SIDE ? shown.resize(PDQ_SIDE, PDQ_SIDE, { fit: 'fill' }) : shown;
  const { data, info: made } = await decoded
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { data, width: made.width, height: made.height, channels: made.channels as PdqPixels['channels'] };
}

/** The first line of the decoder's message; the other lines repeat it. */
function reason(error: unknown): string {
  const message = (error as Error).message.split('\n')[0]!;
  return error instanceof FileError ? `cannot be read: ${message}` : `cannot be decoded as an image: ${message}`;
}
