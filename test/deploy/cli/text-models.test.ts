/** The files of models that a configuration names, as the command line reads and applies them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { applyConfiguration, NotApplied } from '#weir/deploy/cli/configuration/applying';
import { filesBeside } from '#weir/deploy/cli/configuration/file';
import { unpackModel } from '#weir/shared/policy/models/packed';
import { modelsNamedBy, readPackedModel, readVersion } from '#weir/shared/streams/configuration';
import { keys } from '#weir/shared/streams/keys';
import { textModel } from '../../support/models/text-model.ts';
import { sharedRedis } from '../../support/stores/redis.js';
import { weir } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-models-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const { server, redis } = await sharedRedis();

const SPAM = textModel({ spam: 'lottery' });
writeFileSync(at('spam.bin'), SPAM.bytes);
writeFileSync(at('old.bin'), textModel({ spam: 'lottery' }, { features: 0 }).bytes);
writeFileSync(at('cut.bin'), SPAM.bytes.subarray(0, 1000));
writeFileSync(at('text.bin'), 'not a model');
writeFileSync(at('large.bin'), '');
truncateSync(at('large.bin'), 5 * 1024 * 1024);

const textOf = (detect: string): string => `version: 1
teams: [{id: t}]
policies:
- {id: aaaaaaaa-0000-4000-8000-000000000001, team: t, name: P, detect: ${detect}}
deployments: [{id: d, team: t, name: D, policies: [aaaaaaaa-0000-4000-8000-000000000001]}]
keys: []
`;
function file(detect: string): string {
  const path = at('weir.yaml');
  writeFileSync(path, textOf(detect));
  return path;
}
const OWN = '{classifier: {file: spam.bin, label: spam}}';

describe('a model beside the configuration', () => {
  it('is counted by check-config, and used by check', async () => {
    const path = file(OWN);
    const { code, out } = await weir('check-config', path);
    assert.equal(code, 0);
    assert.match(out, /: ok \(1 team, 0 keys, 1 policy, 1 deployment, 0 environments, 1 text model\)$/);
    const flagged = await weir('check', 'a lottery', '--config', path);
    assert.match(
      flagged.out,
      /^flagged\n.*P: flagged[\s\S]*\n {4}classifier:spam\.bin:spam {2}view raw {2}offsets 0 to 9 {2}"a lottery"$/,
    );
    assert.match((await weir('check', 'good day', '--config', path)).out, /^clean$/m);
  });

  const wrong: [name: string, expected: RegExp][] = [
    ['none.bin', /none\.bin: there is no such file in .*, the folder of the configuration$/],
    ['old.bin', /old\.bin: the model was trained for version 0 of the features.*train it again by weir train$/],
    [
      'cut.bin',
      /cut\.bin: the model is cut off: it has \d+ bytes, and its header says \d+; train it again by weir train$/,
    ],
    ['text.bin', /text\.bin: the model does not begin with WEIRMDL1; train it again by weir train$/],
    ['large.bin', /large\.bin: expected at most 4194304 bytes, found 5242880$/],
  ];
  for (const [name, expected] of wrong) {
    it(`is refused where it is ${name}, with file, line and column`, async () => {
      const path = file(`{classifier: {file: ${name}, label: spam}}`);
      const { code, err } = await weir('check-config', path);
      assert.equal(code, 1);
      assert.match(err, expected);
      assert.ok(err.startsWith(`${path}:4:`), err);
      assert.ok(err.includes('policies[0].detect.classifier.file: '), err);
    });
  }
});

describe('applying a configuration that names a model', () => {
  const apply = (text: string, files = filesBeside(at('weir.yaml'))) =>
    applyConfiguration({ redisUrl: server.url, text, file: 'weir.yaml', files });

  it('stores the model beside the version, and the version has its SHA-256 alone', async () => {
    assert.deepEqual(await apply(textOf(OWN)), { version: 1, changed: true });
    assert.deepEqual(await modelsNamedBy(redis, 1), [SPAM.sha256]);
    const packed = (await readPackedModel(redis, SPAM.sha256))!;
    assert.deepEqual(new Uint8Array(await unpackModel(packed, SPAM.sha256)), SPAM.bytes);
    const stored = (await readVersion(redis, 1))!;
    assert.ok(stored.includes(SPAM.sha256) && stored.length < 2000);
  });

  it('puts a lost model back where the same is applied again, and a changed file is another version', async () => {
    await apply(textOf(OWN));
    await redis.del(keys.configModels());
    assert.deepEqual(await apply(textOf(OWN)), { version: 1, changed: false });
    assert.notEqual(await readPackedModel(redis, SPAM.sha256), undefined);
    const other = textModel({ spam: 'jackpot' });
    writeFileSync(at('spam.bin'), other.bytes);
    assert.deepEqual(await apply(textOf(OWN)), { version: 2, changed: true });
    assert.deepEqual(await modelsNamedBy(redis, 2), [other.sha256]);
    writeFileSync(at('spam.bin'), SPAM.bytes);
  });

  it('is refused without the file, although its SHA-256 is given', async () => {
    const text = textOf(`{classifier: {file: spam.bin, sha256: ${SPAM.sha256}, label: spam}}`);
    const without = applyConfiguration({ redisUrl: server.url, text, file: 'weir.yaml' });
    await assert.rejects(without, (error) => {
      assert.ok(error instanceof NotApplied);
      assert.match(error.message, /^weir\.yaml: spam\.bin: a model is read beside the configuration/);
      return true;
    });
    assert.equal(await redis.exists(keys.configVersions()), 0);
  });
});
