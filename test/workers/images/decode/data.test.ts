import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '#weir/shared/api/limits';
import { decodeData } from '#weir/workers/images/decode/data';
import { IMAGE_LIMITS } from '#weir/workers/images/failure';

const bytesOf = (data: string): Buffer => {
  const decoded = decodeData(data);
  assert.ok(decoded.ok, JSON.stringify(decoded));
  assert.deepEqual(decodeData(Buffer.from(data)), decoded);
  return decoded.bytes;
};
const reasonOf = (data: string): string => {
  const decoded = decodeData(data);
  // Text that is sent as UTF-8 is the same as bytes.
  assert.deepEqual(decodeData(Buffer.from(data)), decoded);
  return decoded.ok ? 'ok' : decoded.reason;
};

describe('image data', () => {
  it('can be any bytes, in both alphabets, with and without padding, wrapped or not, raw or as a data URI', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (array) => {
        const bytes = Buffer.from(array);
        const standard = bytes.toString('base64');
        const forms = [
          standard,
          standard.replace(/=+$/, ''),
          bytes.toString('base64url'),
          standard.replace(/(.{76})/g, '$1\r\n'),
          ` \n${standard}\t`,
          `data:image/png;base64,${standard}`,
          `DATA:;charset=utf-8;BASE64,${standard}`,
          `data:image/png;base64,${encodeURIComponent(standard)}`,
        ];
        for (const form of forms) assert.deepEqual(bytesOf(form), bytes);
      }),
      { numRuns: 60 },
    );
  });

  it('has the media type that a data URI states', () => {
    const decoded = decodeData('data:Image/PNG;name=a.png;base64,AAAA');
    assert.ok(decoded.ok && decoded.statedType === 'image/png');
    const raw = decodeData('AAAA');
    assert.ok(raw.ok && raw.statedType === undefined);
    const none = decodeData('data:;base64,AAAA');
    assert.ok(none.ok && none.statedType === undefined);
  });

  it('is refused if it is not base64', () => {
    const wrong = [
      ...['A', 'AAAAA', 'AA=A', 'AA===', 'AAA==', '=', '====', 'AAAA=', 'AA$A', 'AAé=', '+-AA', 'AAAA\0'],
      ...['data:image/png,AAAA', 'data:image/png;base64', 'data:AAAA', `data:${'x'.repeat(2000)};base64,AAAA`],
      ...['data:image/png;base64;x,AAAA', 'data:image/png;base64,AA%41A', 'http://example.com/a.png'],
    ];
    for (const data of wrong) assert.equal(reasonOf(data), 'data', data.slice(0, 40));
  });

  it('is accepted only if every character is a digit of one alphabet, at any position', () => {
    // The lower eight bits of the last two are those of A and of a space.
    const strange = fc.constantFrom(...'=-_+/.,:%\0\x7f\x80é€😀', '\u0141', '\u0120');
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 3, maxLength: 90 }), fc.nat(), strange, (array, at, character) => {
        const digits = Buffer.from(array.subarray(0, array.length - (array.length % 3))).toString('base64');
        const place = at % digits.length;
        const text = digits.slice(0, place) + character + digits.slice(place + character.length);
        const one = /^[A-Za-z0-9+/]*$/.test(text) || /^[A-Za-z0-9_-]*$/.test(text);
        if (character === '=' && place >= text.length - 2) return;
        assert.equal(reasonOf(text), one && text.length % 4 !== 1 ? 'ok' : 'data', text);
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused if it has bits that belong to no byte: readers would disagree on them', () => {
    assert.deepEqual(bytesOf('/w=='), Buffer.from([255]));
    for (const data of ['/x==', '//==', '//9', '__9', '-_9']) assert.equal(reasonOf(data), 'data', data);
  });

  it('is empty without any bytes', () => {
    for (const data of ['', ' \n', 'data:image/png;base64,']) assert.equal(reasonOf(data), 'empty');
  });

  it('has its size checked before it is decoded', () => {
    const most = Buffer.alloc(IMAGE_LIMITS.bytes);
    assert.equal(bytesOf(most.toString('base64')).length, IMAGE_LIMITS.bytes);
    const wrapped = most.toString('base64').replace(/(.{76})/g, '$1\r\n');
    assert.ok(wrapped.length <= LIMITS.imageDataCharacters);
    assert.equal(bytesOf(wrapped).length, IMAGE_LIMITS.bytes);
    assert.equal(reasonOf(Buffer.alloc(IMAGE_LIMITS.bytes + 1).toString('base64')), 'too_large');
    assert.equal(reasonOf('A'.repeat(LIMITS.imageDataCharacters + 4)), 'too_large');
    assert.equal(reasonOf(' '.repeat(LIMITS.imageDataCharacters + 4)), 'too_large');
  });
});
