/** The files of weights that Weir ships, and what is said of one that is damaged. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ModelFileName, readModelFile } from '#weir/shared/model-file';
import { readNames, writeNames } from '#weir/shared/policy/detectors/pii/names/file';
import { readHeader, readModel, writeModel } from '#weir/shared/policy/models/format';
import { readLanguages, writeLanguages } from '#weir/shared/policy/models/languages/format';
import { type FileKind, readSections, writeSections } from '#weir/shared/policy/models/sections';

/** Beside its name: what reads it, and gives the bytes of what was read; how errors call it, and what they say to do. */
interface ShippedFile {
  magic: string;
  again: (bytes: Uint8Array) => Uint8Array;
  called: string;
  remedy: string;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const FILES: Record<ModelFileName, ShippedFile> = {
  weir: {
    magic: 'WEIRMDL1',
    again: (bytes) => writeModel(readModel(bytes).file),
    called: 'the model',
    remedy: 'train it again by weir train',
  },
  languages: {
    magic: 'WEIRLNG1',
    again(bytes) {
      const { header, weights, tell } = readLanguages(bytes);
      return writeLanguages(header, bytesOf(weights), bytesOf(tell.weights));
    },
    called: 'the file of languages',
    remedy: 'install the package anew',
  },
  names: {
    magic: 'WEIRNAM1',
    again: (bytes) => writeNames(readNames(bytes).file),
    called: 'the file of names',
    remedy: 'install the package anew',
  },
};

const sizeOf = (bytes: Uint8Array): number => new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);

/** The same file, with another text for its header, which is no longer. */
function withHeader(bytes: Uint8Array, change: (header: string) => string): Uint8Array {
  const size = sizeOf(bytes);
  const header = change(new TextDecoder().decode(bytes.slice(12, 12 + size)));
  const changed = bytes.slice();
  changed.set(new TextEncoder().encode(header.padEnd(size)), 12);
  return changed;
}

const withSize = (bytes: Uint8Array, size: number): Uint8Array => {
  const changed = bytes.slice();
  new DataView(changed.buffer).setUint32(8, size, true);
  return changed;
};

const longer = (bytes: Uint8Array, more: number): Uint8Array => {
  const changed = new Uint8Array(bytes.length + more);
  changed.set(bytes);
  return changed;
};

/** What is done to a file, and what is said of it. */
const DAMAGES: Record<string, readonly [damage: (bytes: Uint8Array) => Uint8Array, said: RegExp]> = {
  'is empty': [() => new Uint8Array(0), /^NAME does not begin with MAGIC; REMEDY$/],
  'lacks its first byte': [(bytes) => bytes.slice(1), /^NAME does not begin with MAGIC; REMEDY$/],
  'ends behind its name': [(bytes) => bytes.slice(0, 8), /^NAME ends within its header; REMEDY$/],
  'ends within its header': [(bytes) => bytes.slice(0, 40), /^NAME ends within its header; REMEDY$/],
  'has a header of all that follows': [
    (bytes) => withSize(bytes, bytes.length),
    /^NAME ends within its header; REMEDY$/,
  ],
  'has a longer header than any': [(bytes) => withSize(bytes, 2 ** 32 - 1), /^NAME ends within its header; REMEDY$/],
  'has a shorter header': [
    (bytes) => withSize(bytes, sizeOf(bytes) - 9),
    /^the header of NAME is no JSON object; REMEDY$/,
  ],
  'has a header that is no JSON': [
    (bytes) => withHeader(bytes, () => '}'),
    /^the header of NAME is no JSON object; REMEDY$/,
  ],
  'has a header that is a number': [
    (bytes) => withHeader(bytes, () => '7'),
    /^the header of NAME is no JSON object; REMEDY$/,
  ],
  'has a header that is nothing': [
    (bytes) => withHeader(bytes, () => 'null'),
    /^the header of NAME is no JSON object; REMEDY$/,
  ],
  'is of another version': [
    (bytes) => withHeader(bytes, (header) => header.replace(/"features":\d/, '"features":9')),
    /^NAME was trained for version 9 of the features, and this version of Weir has version \d; REMEDY$/,
  ],
  'lacks its last byte': [
    (bytes) => bytes.slice(0, -1),
    /^NAME is cut off: it has \d+ bytes, and its header says \d+; REMEDY$/,
  ],
  'lacks most of its weights': [(bytes) => bytes.slice(0, bytes.length / 2), /^NAME is cut off: .*; REMEDY$/],
  'has one byte more': [(bytes) => longer(bytes, 1), /^NAME is too long: it has \d+ bytes, .*; REMEDY$/],
  'stands there twice': [(bytes) => longer(bytes, bytes.length), /^NAME is too long: .*; REMEDY$/],
};

/** Files with a lexicon: a number of words that it has not. */
const WORDS: Record<string, RegExp> = {
  '-1': /^the header of NAME is damaged: expected words from 0 to 699050; REMEDY$/,
  '1.5': /^the header of NAME is damaged: expected words from 0 to 699050; REMEDY$/,
  '"1"': /^the header of NAME is damaged: expected words from 0 to 699050; REMEDY$/,
  '9e9': /^the header of NAME is damaged: expected words from 0 to 699050; REMEDY$/,
  '1': /^NAME is too long: /,
  '99999': /^NAME is cut off: /,
};

for (const [name, { magic, again, called, remedy }] of Object.entries(FILES)) {
  const bytes = readModelFile(name as ModelFileName);
  const refused = (damaged: Uint8Array, said: RegExp): void => {
    const message = said.source.replace('NAME', called).replace('MAGIC', magic).replace('REMEDY', remedy);
    assert.throws(() => again(damaged), { message: new RegExp(message) });
  };

  describe(`${name}.bin`, () => {
    it('is written again to the same bytes, wherever in memory it was read from', () => {
      assert.ok(Buffer.from(bytes.buffer).equals(again(bytes)));
      const moved = longer(bytes, 3).copyWithin(3, 0).subarray(3);
      assert.ok(moved.byteOffset === 3 && Buffer.from(bytes.buffer).equals(again(moved)));
    });

    for (const [what, [damage, said]] of Object.entries(DAMAGES))
      it(`is refused where it ${what}`, () => refused(damage(bytes), said));

    if (name === 'languages') return;
    it('is refused where its header has another number of words', () => {
      for (const [words, said] of Object.entries(WORDS)) {
        const damaged = withHeader(bytes, (header) => header.replace(/"words":\d+/, `"words":${words}`));
        refused(damaged, said);
      }
    });
  });
}

describe('a file of sections', () => {
  const KIND: FileKind<{ size: number; features?: number }> = {
    magic: 'WEIRTEST',
    name: 'the test',
    remedy: 'write it anew',
    features: 1,
    expected: ({ size }) => (typeof size === 'number' ? undefined : 'a size'),
    sizesOf: ({ size }) => [size, 8],
  };

  it('has each section at a multiple of 8, and ends there', () => {
    const sections = [Uint8Array.of(1, 2, 3), new Uint8Array(8).fill(9)];
    const bytes = writeSections(KIND, { header: { size: 3 }, sections });
    assert.equal(bytes.length, 24 + 8 + 8);
    const read = readSections(KIND, bytes);
    assert.deepEqual([read.header, read.sections], [{ size: 3 }, sections]);
    assert.ok(read.sections.every(({ byteOffset, buffer }) => byteOffset % 8 === 0 && buffer === bytes.buffer));
  });

  it('is refused where its header lacks what it needs', () => {
    const bytes = writeSections(KIND, { header: {} as { size: number }, sections: [] });
    assert.throws(() => readSections(KIND, bytes), {
      message: 'the header of the test is damaged: expected a size; write it anew',
    });
  });
});

describe('a model of texts', () => {
  it('has a header that can be read alone', () => {
    const bytes = readModelFile('weir');
    assert.deepEqual(readHeader(bytes), readModel(bytes).file.header);
  });
});
