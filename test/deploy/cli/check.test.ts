import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { weir } from './support.ts';

const CARD = 'pay 4111 1111 1111 1111';
const PAYMENT = '968f3ebc-6b8e-4e47-a25a-e876f371968c';

describe('weir check', () => {
  it('says where a policy is violated, and never repeats the text', async () => {
    const { code, out } = await weir('check', CARD, '--environment', 'prod');
    assert.equal(code, 0);
    const lines = out.split('\n');
    assert.deepEqual(lines.slice(0, 3), [
      'flagged',
      `  ${PAYMENT}  Payment data: flagged (high)`,
      '    pii:CREDIT_CARD  view raw  offsets 4 to 23',
    ]);
    assert.ok(lines.slice(3).every((line) => line.endsWith(': clean')));
    assert.doesNotMatch(out, /4111/);
  });
  it('selects as the service does: by condition, type, field and role', async () => {
    const names = async (...args: string[]): Promise<string[]> => {
      const { out } = await weir('check', 'x', ...args);
      return [...out.matchAll(/^ {2}\S+ {2}(.*): clean$/gm)].map((match) => match[1]!).sort();
    };
    const prod = ['--environment', 'prod'];
    assert.ok((await names(...prod, '--role', 'assistant')).includes('Contact data in answers'));
    assert.ok(!(await names(...prod)).includes('Contact data in answers'));
    assert.ok(
      (await names(...prod, '--type', 'tool', '--field', 'output')).includes('Internal addresses in tool output'),
    );
    assert.ok((await names(...prod, '--type', 'tool')).includes('Destructive commands'));
    const free = ['--role', 'assistant', '--metadata', '{"user":{"tier":"free"}}'];
    assert.ok((await names(...prod, ...free)).includes('Internal project names'));
    assert.equal((await names('--deployment', 'chat')).length, 4);
    assert.equal((await names()).length, 8);
  });
  const wrong: [string, string[], RegExp][] = [
    ['no text', [], /expected one TEXT/],
    ['two texts', ['a', 'b'], /expected one TEXT/],
    ['an environment that is not there', ['a', '--environment', 'dev'], /"dev" is not there; expected prod/],
    ['a deployment that is not there', ['a', '--deployment', 'x'], /"x" is not there; expected chat/],
    ['both', ['a', '--deployment', 'chat', '--environment', 'prod'], /not both/],
    ['a team that is not there', ['a', '--team', 'x'], /no team "x"/],
    ['an unknown type', ['a', '--environment', 'prod', '--type', 'x'], /--type "x" is not there/],
    [
      'an unknown field',
      ['a', '--environment', 'prod', '--type', 'tool', '--field', 'x'],
      /expected arguments, output/,
    ],
    ['an unknown role', ['a', '--role', 'system'], /expected --role user/],
    ['metadata that is no JSON', ['a', '--environment', 'prod', '--metadata', '{'], /--metadata is not JSON/],
    ['metadata that is no object', ['a', '--environment', 'prod', '--metadata', '[]'], /expected a JSON object/],
  ];
  for (const [name, args, message] of wrong) {
    it(`exits with 2 for ${name}`, async () => {
      const { code, err } = await weir('check', ...args);
      assert.equal(code, 2);
      assert.match(err, message);
    });
  }
  it('exits with 1 when the configuration cannot be read', async () => {
    const { code, err } = await weir('check', 'a', '--config', 'no/such/file.yaml');
    assert.equal(code, 1);
    assert.match(err, /cannot be read/);
  });
});
