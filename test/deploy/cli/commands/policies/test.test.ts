import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { picture } from '../../../../support/images/pictures.ts';
import { until } from '../../../../support/wait.ts';
import { type Ran, weir } from '../../support.ts';

const id = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
const policy = (n: number, name: string, detect: object, more: object = {}): object => {
  return { id: id(n), team: 't', name, detect, ...more };
};
const POLICIES = [
  policy(1, 'Cards', { pii: { entities: ['CREDIT_CARD'] } }),
  policy(2, 'Heron', { terms: { list: ['project heron'], context: 1 } }, { severity: 'low' }),
  policy(3, 'Mail', { pii: { entities: ['EMAIL_ADDRESS'] } }, { direction: 'output' }),
  policy(4, 'Wide images', { image_properties: { min_width: 100 } }),
  policy(6, 'Stricter cards', { pii: { entities: ['CREDIT_CARD', 'US_SSN'] } }, { mode: 'shadow' }),
  policy(7, 'Known images', { image_hash: { list: 'none' } }, { mode: 'shadow' }),
  policy(5, 'Scored images', { onnx: { model: 'none', label: 'x', threshold: 0.5 } }),
];
const CONFIGURATION = {
  version: 1,
  teams: [{ id: 't' }],
  policies: POLICIES,
  deployments: [{ id: 'chat', team: 't', name: 'Chat', policies: [1, 2, 3, 4, 6].map(id) }],
  environments: [
    {
      id: 'prod',
      team: 't',
      conditions: [
        { id: 'all', name: 'All', when: 'true', policies: [1, 2, 3, 4, 6].map(id) },
        { id: 'known', name: 'Known', when: 'metadata.known == true', policies: [id(7)] },
        { id: 'tools', name: 'Scored', when: 'metadata.scored == true', policies: [id(5)] },
      ],
    },
  ],
};

describe('weir test', () => {
  let folder = '';
  let config = '';
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-test-'));
    config = join(folder, 'weir.json');
    writeFileSync(config, JSON.stringify(CONFIGURATION));
    writeFileSync(join(folder, 'wide.png'), await picture('photo', 1, 200, 100));
    writeFileSync(join(folder, 'narrow.png'), await picture('photo', 2, 64, 64));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const run = (cases: string, ...args: string[]): Promise<Ran> =>
    weir('test', config, file('tests.yaml', `cases:\n${cases}`), ...args);
  const passes = async (cases: string): Promise<void> => {
    const { code, out, err } = await run(cases);
    assert.equal(code, 0, out + err);
  };
  /** The lines of the first case that failed, without the one that names it. */
  const failure = async (cases: string): Promise<string[]> => {
    const { code, out, err } = await run(cases);
    assert.equal(code, 1, out + err);
    return out
      .split('\n')
      .filter((line) => line.startsWith('      '))
      .map((line) => line.trim());
  };

  it('passes where the verdict is as expected, and names each case', async () => {
    const { code, out, err } = await run(`
- {name: a card, text: 4111 1111 1111 1111, expect: {policies: [Cards]}}
- {name: no card, text: 4111 1111 1111 1112, expect: {flagged: false}}
`);
    assert.deepEqual([code, err], [0, '']);
    const lines = out.split('\n');
    assert.deepEqual(lines.slice(0, 3), [join(folder, 'tests.yaml'), '  ok      a card', '  ok      no card']);
    assert.match(lines[3]!, /^2 passed, 0 failed, \d+ ms$/);
  });

  it('says what was expected, what was found, and by which detector', async () => {
    const { code, out } = await run(`
- name: both
  text: project heron 4111 1111 1111 1111
  expect: {policies: [Heron, Mail]}
`);
    assert.equal(code, 1);
    assert.deepEqual(out.split('\n').slice(1, -1), [
      `  failed  both  (${join(folder, 'tests.yaml')}:3:3)`,
      '            - Mail: expected, and not flagged; it did not look at this item',
      '            + Cards: flagged (medium), and not expected',
      '                pii:CREDIT_CARD  view raw  offsets 14 to 33  score 1.00, at least 0.50  "4111 1111 1111 1111"',
    ]);
  });

  it('takes policies by id, and lists of those that may or must not be flagged', async () => {
    const both = 'text: project heron 4111 1111 1111 1111';
    await passes(`
- {name: id, text: project heron, expect: {policies: ['${id(2)}']}}
- {name: allowed, ${both}, expect: {policies: [Heron], allowed: [Cards]}}
- {name: any, ${both}, expect: {policies: [Heron], allowed: any}}
- {name: some, ${both}, expect: {flagged: true}}
- {name: forbidden, ${both}, expect: {forbidden: [Mail]}}
- {name: none, text: x, expect: {policies: []}}
`);
    const found = [
      '+ Cards: flagged (medium), and not expected',
      'pii:CREDIT_CARD  view raw  offsets 14 to 33  score 1.00, at least 0.50  "4111 1111 1111 1111"',
    ];
    assert.deepEqual(await failure(`- {name: a, ${both}, expect: {forbidden: [Cards]}}`), found);
    assert.deepEqual(
      await failure(`- {name: a, ${both}, expect: {policies: [Heron], allowed: any, forbidden: [Cards]}}`),
      found,
    );
    const clean = ['- flagged: expected, and no policy is flagged'];
    assert.deepEqual(await failure('- {name: a, text: x, expect: {flagged: true}}'), clean);
    const missing = ['- Cards: expected, and not flagged; it looked, and found nothing'];
    assert.deepEqual(await failure('- {name: a, text: x, expect: {policies: [Cards]}}'), missing);
  });

  it('looks at policies in the shadow where it is told to', async () => {
    const [card, ssn] = ['text: 4111 1111 1111 1111', 'text: My SSN is 536-22-8726.'];
    await passes(`
- {name: without a word of them, ${ssn}, expect: {flagged: false}}
- {name: alone, ${ssn}, expect: {flagged: false, shadow: [Stricter cards]}}
- {name: beside live ones, ${card}, deployment: chat, expect: {policies: [Cards], shadow: ['${id(6)}']}}
- {name: none, text: x, expect: {shadow: []}}
- {name: allowed, ${card}, expect: {policies: [Cards], shadow: [], allowed: [Stricter cards]}}
`);
    const found = [
      '+ Stricter cards: flagged (medium) in the shadow, and not expected',
      'pii:US_SSN  view raw  offsets 10 to 21  score 1.00, at least 0.50  "536-22-8726"',
    ];
    assert.deepEqual(await failure(`- {name: a, ${ssn}, expect: {shadow: []}}`), found);
    assert.deepEqual(await failure(`- {name: a, ${ssn}, expect: {forbidden: [Stricter cards]}}`), found);
    assert.deepEqual(await failure(`- {name: a, ${card}, expect: {policies: [Cards, Stricter cards]}}`), [
      '- Stricter cards: expected, and not flagged; it is in the shadow, so name it in "shadow"',
    ]);
    assert.deepEqual(await failure(`- {name: a, ${card}, expect: {shadow: [Stricter cards, Cards]}}`), [
      '- Cards: expected, and not flagged; it is live, so name it in "policies"',
    ]);
    const image = 'event: {type: artifact, metadata: {known: true}, content: {kind: image, file: narrow.png}}';
    await passes(`- {name: a, ${image}, expect: {policies: []}}`);
    assert.deepEqual(await failure(`- {name: a, ${image}, expect: {shadow: []}}`), [
      '! 1 policy could not be evaluated',
    ]);
  });

  it('checks texts, events, sessions and images as the service would', async () => {
    await passes(`
- {name: answer, text: a@example.com, role: assistant, expect: {policies: [Mail]}}
- {name: in a deployment, deployment: chat, text: a@example.com, role: assistant, expect: {policies: [Mail]}}
- {name: question, text: a@example.com, expect: {flagged: false}}
- name: arguments that are JSON in a string
  event: {type: tool, name: pay, arguments: '{"card":"4111\\\\u00201111\\\\u00201111\\\\u00201111"}'}
  expect: {policies: [Cards]}
- name: a phrase over two texts
  context: [tell me about project]
  text: heron
  expect: {policies: [Heron]}
- name: the end of the phrase alone
  text: heron
  expect: {flagged: false}
- name: the last message of a session, with those before
  session:
    messages:
    - {role: user, content: tell me about project}
    - {role: assistant, content: heron}
  expect: {policies: [Heron]}
- {name: an image event, image: wide.png, expect: {policies: [Wide images]}}
- {name: an image, deployment: chat, image: narrow.png, expect: {flagged: false}}
- name: an image in a session
  session:
    messages:
    - role: user
      content:
      - {type: text, text: see}
      - {type: artifact, content: {kind: image, file: wide.png}}
  expect: {policies: [Wide images]}
- name: an image in an event
  event: {type: artifact, content: {kind: image, file: narrow.png}}
  expect: {flagged: false}
`);
  });

  it('fails a case that could not be evaluated', async () => {
    const event = 'event: {type: artifact, content: {kind: image, file: narrow.png}, metadata: {scored: true}}';
    const lines = await failure(`- {name: a, ${event}, expect: {forbidden: [Cards]}}`);
    assert.equal(lines[0], '! 1 policy could not be evaluated');
    assert.match(lines[1]!, /could not be scored by a model/);
    writeFileSync(join(folder, 'broken.png'), 'no image');
    const broken = await failure('- {name: a, image: broken.png, expect: {flagged: false}}');
    assert.equal(broken[0], '! the item could not be evaluated');
  });

  it('runs the cases that --name names, and several files', async () => {
    const one = file('one.yaml', 'cases: [{name: a card, text: x, expect: {flagged: false}}]');
    const two = file('two.yaml', 'cases: [{name: a mail, text: x, expect: {flagged: true}}]');
    const both = await weir('test', config, one, two);
    assert.match(both.out, /1 passed, 1 failed/);
    const card = await weir('test', config, one, two, '--name', 'card');
    assert.equal(card.code, 0);
    assert.match(card.out, /1 passed, 0 failed/);
    const none = await weir('test', config, one, two, '--name', 'zebra');
    assert.deepEqual([none.code, none.err], [1, 'no case has a name that contains "zebra"']);
  });

  it('uses defaults of the file', async () => {
    const path = file(
      'defaults.yaml',
      'defaults: {team: t, deployment: chat}\ncases: [{name: a, session: {messages: [{role: user, content: x}]}, expect: {flagged: false}}]',
    );
    assert.equal((await weir('test', config, path)).code, 0);
  });

  it('writes JUnit XML, whatever a name contains', async () => {
    const path = join(folder, 'junit.xml');
    const cases = `
- {name: 'good <&">', text: x, expect: {flagged: false}}
- {name: "bad \\ufffe", text: project heron, expect: {flagged: false}}
`;
    const { code } = await run(cases, '--junit', path);
    assert.equal(code, 1);
    const xml = readFileSync(path, 'utf8').replace(/time="[\d.]+"/g, 'time=""');
    const tests = join(folder, 'tests.yaml');
    const counts = 'tests="2" failures="1" errors="0" skipped="0" time=""';
    const flagged = '+ Heron: flagged (low), and not expected';
    assert.equal(
      xml,
      `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="weir test" ${counts}>
  <testsuite name="${tests}" ${counts}>
    <testcase name="good &lt;&amp;&quot;&gt;" classname="${tests}" file="${tests}" line="3" time=""/>
    <testcase name="bad \ufffd" classname="${tests}" file="${tests}" line="4" time="">
      <failure message="${flagged}" type="verdict">${tests}:4:3&#10;${flagged}&#10;    terms  view folded  offsets 0 to 13  &quot;project heron&quot;</failure>
    </testcase>
  </testsuite>
</testsuites>
`,
    );
    const lost = await run(cases, '--junit', join(folder, 'absent', 'x.xml'));
    assert.match(lost.err, /x\.xml: cannot be written \(ENOENT\)$/);
    assert.equal(lost.code, 1);
  });

  const wrong: [string, string, string][] = [
    ['no YAML', 'cases: [', '1:9: '],
    ['an unknown key', 'case: []', '1:1: case: unknown key "case"; did you mean "cases"?'],
    ['no case', 'cases: []', '1:8: cases: expected a list of at least one case'],
    ['no name', 'cases:\n- text: x\n  expect: {flagged: true}', '2:3: cases[0].name: is required'],
    ['a name twice', 'cases:\n- &a {name: a, text: x, expect: {flagged: true}}\n- *a', 'the name "a" is used twice'],
    ['nothing to check', 'cases:\n- name: a', '2:3: cases[0]: expected exactly one of text, event, session, image'],
    ['two things', 'cases:\n- {name: a, text: x, image: y}', 'session, image, found text and image'],
    ['no expectation', 'cases:\n- {name: a, text: x}', 'expect: is required: expected an object with flagged'],
    ['an empty one', 'cases:\n- {name: a, text: x, expect: {}}', '2:30: cases[0].expect: expected an object'],
    [
      'an unknown policy',
      'cases:\n- name: a\n  text: x\n  expect: {policies: [Card]}',
      '4:23: cases[0].expect.policies[0]: team "t" has no policy "Card"; did you mean "Cards"?',
    ],
    ['a flag that is none', 'cases:\n- {name: a, text: x, expect: {flagged: 1}}', 'flagged: expected true or false'],
    [
      'a contradiction',
      'cases:\n- {name: a, text: x, expect: {policies: [Cards], forbidden: [Cards]}}',
      'names a policy that policies, shadow or allowed names, too',
    ],
    [
      'another one',
      'cases:\n- {name: a, text: x, expect: {flagged: false, policies: [Cards]}}',
      'expected none, as flagged is false',
    ],
    [
      'allowed alone',
      'cases:\n- {name: a, text: x, expect: {flagged: true, allowed: [Cards]}}',
      'expected policies or shadow beside it',
    ],
    ['an unknown team', 'cases:\n- {name: a, team: u, text: x, expect: {flagged: true}}', 'there is no team "u"'],
    [
      'an unknown environment',
      'cases:\n- {name: a, environment: prd, text: x, expect: {flagged: true}}',
      'there is no environment "prd"; did you mean "prod"?',
    ],
    [
      'a deployment of an event',
      'cases:\n- {name: a, deployment: chat, event: {type: tool, output: x}, expect: {flagged: true}}',
      'expected environment: an event is checked in one',
    ],
    [
      'two places',
      'cases:\n- {name: a, deployment: chat, environment: prod, text: x, expect: {flagged: true}}',
      'expected environment or deployment, not both',
    ],
    [
      'a text that is none',
      'cases:\n- {name: a, text: 7, expect: {flagged: true}}',
      'expected a text; put it in quotes',
    ],
    [
      'an event that the service refuses',
      'cases:\n- name: a\n  event: {type: tool, output: {}, parent: {}}\n  expect: {flagged: true}',
      '3:43: cases[0].event.parent: ',
    ],
    [
      'an event without content',
      'cases:\n- {name: a, event: {type: tool, event_id: x}, expect: {flagged: true}}',
      'expected content to check: arguments, output, definition',
    ],
    [
      'a session that the service refuses',
      'cases:\n- name: a\n  session:\n    messages:\n    - {role: king, content: x}\n  expect: {flagged: true}',
      '5:14: cases[0].session.messages[0].role: ',
    ],
    [
      'an image that is not there',
      'cases:\n- {name: a, image: no.png, expect: {flagged: true}}',
      'there is no such file',
    ],
    [
      'an image by address',
      'cases:\n- {name: a, event: {type: artifact, content: {kind: image, url: "http://x/y.png"}}, expect: {flagged: true}}',
      'expected file or data: nothing is fetched for a test',
    ],
    [
      'a role that says nothing',
      'cases:\n- {name: a, role: user, event: {type: tool, output: x}, expect: {flagged: true}}',
      'expected the role in event.role',
    ],
    [
      'earlier texts of a session',
      'cases:\n- {name: a, context: [x], session: {messages: [{role: user, content: x}]}, expect: {flagged: true}}',
      'expected earlier messages in session.messages',
    ],
  ];
  for (const [name, text, message] of wrong) {
    it(`names the place of ${name}`, async () => {
      const path = file('wrong.yaml', text);
      const { code, out, err } = await weir('test', config, path);
      assert.deepEqual([code, out], [1, '']);
      assert.ok(err.includes(message), err);
      for (const line of err.split('\n')) assert.match(line, /^\S+wrong\.yaml:\d+:\d+: /);
    });
  }

  it('exits with 1 for a file that cannot be read, and with 2 without one', async () => {
    const { code, err } = await weir('test', config, join(folder, 'none.yaml'));
    assert.equal(code, 1);
    assert.match(err, /none\.yaml: cannot be read: there is no such file/);
    assert.equal((await weir('test', join(folder, 'none.json'), join(folder, 'tests.yaml'))).code, 1);
    assert.equal((await weir('test', config)).code, 2);
  });

  it('runs again when a file changes, with --watch, until Ctrl-C', { timeout: 120_000 }, async () => {
    const path = file('watched.yaml', 'cases: [{name: a, text: x, expect: {flagged: true}}]');
    const child = spawn(process.execPath, ['deploy/cli/weir.mjs', 'test', config, path, '--watch']);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
    const times = (what: RegExp): number => [...said.matchAll(what)].length;
    try {
      await until('it fails', () => times(/0 passed, 1 failed[\s\S]*watching; Ctrl-C ends it/g) === 1);
      writeFileSync(path, 'cases: [{name: a, text: x, expect: {flagged: false}}]');
      await until('it passes', () => times(/1 passed, 0 failed/g) === 1);
      writeFileSync(config, 'no: configuration');
      await until('it says what is wrong', () => said.includes('unknown key "no"'));
      writeFileSync(config, JSON.stringify(CONFIGURATION));
      await until('it passes again', () => times(/1 passed, 0 failed/g) === 2);
    } finally {
      const closed = once(child, 'close');
      child.kill('SIGINT');
      assert.deepEqual((await closed).slice(0, 2), [0, null]);
      writeFileSync(config, JSON.stringify(CONFIGURATION));
    }
  });
});
