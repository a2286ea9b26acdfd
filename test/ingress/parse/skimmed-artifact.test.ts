import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ParseResult, parseBody } from '#weir/ingress/parse/parse-body';
import { skimmedArtifact } from '#weir/ingress/parse/skimmed-artifact';
import { LIMITS } from '#weir/shared/api/limits';
import { validateArtifact } from '#weir/shared/api/validate/validate';

const DATA = Buffer.alloc(60_000, 'an image').toString('base64');
const artifact = (content: object, change: object = {}): string =>
  JSON.stringify({ deployment_id: 'chat', content: { kind: 'image', ...content }, ...change });
/** As a body that is read in full. */
function inFull(text: string): ParseResult {
  return validateArtifact(JSON.parse(text), Buffer.byteLength(text), text);
}

describe('the body of an artifact', () => {
  const skimmed: Record<string, string> = {
    'an image alone': artifact({ data: DATA }),
    'padding and the other alphabet': artifact({ data: `${Buffer.alloc(40_001, 0xff).toString('base64url')}=` }),
    'an image among other fields': artifact(
      { name: 'ä', data: DATA, mime_type: 'image/png' },
      { metadata: { user: { id: 'é"' } }, external_artifact_id: 'x' },
    ),
    'other names of fields escaped': artifact({ data: DATA }, { name: 'n' }).replace('"kind"', '"\\u006bind"'),
    'mistakes beside the image': artifact({ data: DATA, name: 7 }, { deployment_id: '', role: 'nobody', more: {} }),
    'an address beside the image': artifact({ data: DATA, url: 'https://example.com/a.png' }),
    'too large an image': artifact({ data: 'A'.repeat(LIMITS.imageDataCharacters + 4) }),
    'the space of a pretty printer': JSON.stringify(
      JSON.parse(artifact({ data: DATA }, { metadata: { a: [1] } })),
      null,
      2,
    ),
  };
  for (const [name, text] of Object.entries(skimmed)) {
    it(`is read without its image as with it: ${name}`, () => {
      const body = Buffer.from(text);
      assert.ok(skimmedArtifact(body));
      assert.deepEqual(parseBody('artifact', body), inFull(text));
    });
  }

  const full: Record<string, string> = {
    'a short image': artifact({ data: 'AAAA' }),
    'a data URI': artifact({ data: `data:image/png;base64,${DATA}` }),
    'space in the image': artifact({ data: `${DATA}\n${DATA}` }),
    'an escape in the image': artifact({ data: DATA }).replace(DATA, `${DATA}\\/${DATA}`),
    'a character that is no digit': artifact({ data: `${DATA}é` }),
    'a digit that is left over': artifact({ data: `${DATA}A` }),
    'another long string': artifact({ data: DATA }, { metadata: { note: 'x'.repeat(40_000) } }),
    'a long string elsewhere': artifact({ data: 'AAAA', name: DATA }),
    'a long string outside the content': artifact({ data: 'AAAA' }, { data: DATA }),
    'content that is a text': JSON.stringify({ deployment_id: 'chat', content: DATA }),
    'content that is a list': JSON.stringify({ deployment_id: 'chat', content: [{ data: DATA }] }),
    'no object': JSON.stringify(DATA),
    nothing: 'null',
  };
  for (const [name, text] of Object.entries(full)) {
    it(`is read in full: ${name}`, () => {
      const body = Buffer.from(text);
      assert.equal(skimmedArtifact(body), undefined);
      assert.deepEqual(parseBody('artifact', body), inFull(text));
    });
  }

  it('is refused where it is no JSON, by the place of the mistake in the whole body', () => {
    const text = artifact({ data: DATA });
    for (const broken of [text.slice(0, -1), `${text}}`, text.replace(DATA, `${DATA}\n`), text.replace('{', '{,')]) {
      const result = parseBody('artifact', Buffer.from(broken));
      assert.ok(result.ok === null);
      let position: string | undefined;
      try {
        JSON.parse(broken);
      } catch (error) {
        position = /position (\d+)/.exec((error as Error).message)?.[1];
      }
      assert.match(result.invalid, position === undefined ? /not valid JSON/ : new RegExp(`at character ${position}`));
    }
  });
});
