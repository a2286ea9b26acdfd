/** The query parameters `explain` and `policies` of checks and look-ups. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storedArtifact } from '#weir/shared/api/artifact';
import { writeExplanation } from '#weir/shared/api/results/explanation';
import { type Answer, assertError, record, recordItem, sharedIngress, storedItem } from './support.ts';

const ID = '01890000-0000-7000-8000-000000000001';
const [CARDS, WORDS] = ['968f3ebc-6b8e-4e47-a25a-e876f371968c', '8bd13559-1d27-4610-a76c-b4d68820c82e'];
const evidence = [{ detector: 'terms', view: 'folded', source: 'text' as const, start: 0, end: 2 }];
const explained = writeExplanation('hm', [{ id: CARDS, evidence }]);
const results = (of: object): string =>
  JSON.stringify({
    [CARDS]: { flagged: true, name: 'Cards', ...of },
    [WORDS]: { flagged: false, name: 'Words', ...of },
  });
const EVENT = results({});
const SESSION = results({ flagged_source: [] });
const event = { environment_id: 'prod', event: { type: 'message', role: 'user', content: 'hi' } };

/** By path: a good body, undefined for look-ups, and where the policies are in the answer. */
const ROUTES: [path: string, body: unknown, at: string[]][] = [
  ['/api/event', event, ['policies']],
  ['/api/events', { environment_id: 'prod', events: [event.event] }, ['results', 'message', 'm1', 'policies']],
  [`/api/event/${ID}?environment_id=prod`, undefined, ['policies']],
  ['/api/event?environment_id=prod&run_id=r&event_id=e', undefined, ['policies']],
  ['/api/session/check', { messages: [{ role: 'user', content: 'hi' }] }, ['policies']],
  ['/api/session', { messages: [{ role: 'user', content: 'hi' }] }, ['session', 'policies']],
  [`/api/session/${ID}`, undefined, ['session', 'policies']],
  [`/api/session/${ID}`, undefined, ['artifacts', '0', 'policies']],
  ['/api/session?external_session_id=s', undefined, ['session', 'policies']],
  ['/api/artifact', { content: { kind: 'image', data: 'AAAA' } }, ['policies']],
  [`/api/artifact/get_by_id?internal_artifact_id=${ID}`, undefined, ['policies']],
  [`/api/protect/get_by_id?deployment_id=chat&internal_id=${ID}`, undefined, ['list', '0', 'violations']],
];

describe('policies of an answer', () => {
  const ingress = sharedIngress();

  async function ask(path: string, body: unknown, query: string): Promise<Answer> {
    const isEvent = path.startsWith('/api/event');
    const policies = isEvent ? EVENT : SESSION;
    const kind = isEvent ? 'event' : path.startsWith('/api/artifact') ? 'artifact' : 'session';
    const item = storedItem({ kind, scope: isEvent ? 'prod' : 'chat', policies, explained });
    ingress.found = { status: 'found', item };
    ingress.artifact = { status: 'found', value: storedArtifact(item) };
    ingress.artifacts = { status: 'found', value: { artifacts: [storedArtifact(item)], complete: true } };
    ingress.outcome = async (request) => ({
      status: 'done',
      record: record({
        kind: request.kind,
        items: [recordItem(1, { flagged: true, explained: 1 })],
        fragments: [policies, explained],
      }),
    });
    const asked = query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
    return await ingress.call({ method: body === undefined ? 'GET' : 'POST', path: asked, body });
  }

  const at = (answer: Answer, steps: string[]): Record<string, Record<string, unknown>> => {
    assert.equal(answer.status, 200, answer.text);
    return steps.reduce((value, step) => value[step], answer.json);
  };

  for (const [path, body, steps] of ROUTES) {
    const name = `${body === undefined ? 'GET' : 'POST'} ${path.split('?')[0]}, ${steps.join('.')}`;
    it(`are explained and left out as the query asks: ${name}`, async () => {
      const plain = at(await ask(path, body, ''), steps);
      assert.deepEqual(Object.keys(plain), [CARDS, WORDS]);
      for (const policy of Object.values(plain)) assert.equal('severity' in policy || 'evidence' in policy, false);
      const told = at(await ask(path, body, 'explain=True'), steps);
      assert.deepEqual(told, {
        [CARDS]: { ...plain[CARDS], severity: 'high', evidence },
        [WORDS]: { ...plain[WORDS], severity: 'medium' },
      });
      assert.deepEqual(at(await ask(path, body, 'policies=flagged'), steps), { [CARDS]: plain[CARDS] });
      assert.deepEqual(at(await ask(path, body, 'policies=flagged&explain=1'), steps), { [CARDS]: told[CARDS] });
      for (const same of ['explain=0&policies=all', 'explain=false', 'policies=', 'other=1']) {
        const answer = await ask(path, body, same);
        assert.deepEqual(at(answer, steps), plain);
      }
    });
  }

  it('are a 400 where the query says something else, or something twice', async () => {
    for (const [path, body] of ROUTES) {
      for (const [query, param] of [
        ['explain=yes', 'explain'],
        ['policies=clean', 'policies'],
        ['explain=1&explain=1', 'explain'],
        ['policies=%ff', 'policies'],
      ] as const) {
        const answer = await ask(path, body, query);
        assertError(answer, { status: 400, code: 'validation_failed', param });
      }
    }
  });

  it('of a check are asked for after what is wrong with its body is told, and nothing is checked then', async () => {
    const before = ingress.checks.length;
    const both = await ask('/api/event', { event: {} }, 'explain=yes');
    assert.notEqual(both.error.param, 'explain');
    await ask('/api/event', event, 'explain=yes');
    assert.equal(ingress.checks.length, before);
  });

  it('are not for the guardrail, which answers as ever', async () => {
    const body = { texts: ['hi'], input_type: 'request' };
    const plain = await ask('/beta/litellm_basic_guardrail_api', body, '');
    const asked = await ask('/beta/litellm_basic_guardrail_api', body, 'explain=yes&policies=flagged');
    assert.deepEqual([asked.status, asked.text], [200, plain.text]);
    assert.match(plain.text, /Cards/);
  });
});

describe('evidence of an answer', () => {
  const ingress = sharedIngress();
  const SHOWN = { authorization: 'Bearer shown' };
  const content = '😀 hush';
  const found = { detector: 'terms', view: 'folded', source: 'text' as const, start: 3, end: 7 };
  const told = writeExplanation('hm', [{ id: CARDS, evidence: [{ ...found, counted: [2, 6, 5, 9] }] }]);
  const text = { type: 'message', role: 'user', content };
  /** By path: a body that the evidence is in, undefined for look-ups, and where the evidence is in the answer. */
  const PLACES: [path: string, body: unknown, at: string[]][] = [
    ['/api/event', { environment_id: 'prod', event: text }, ['policies']],
    ['/api/events', { environment_id: 'prod', events: [text] }, ['results', 'message', 'm1', 'policies']],
    ['/api/session/check', { messages: [{ role: 'user', content }] }, ['policies']],
    ['/api/session', { messages: [{ role: 'user', content }] }, ['session', 'policies']],
    [`/api/event/${ID}?environment_id=prod`, undefined, ['policies']],
    ['/api/event?environment_id=prod&run_id=r&event_id=e', undefined, ['policies']],
    [`/api/session/${ID}`, undefined, ['session', 'policies']],
    ['/api/session?external_session_id=s', undefined, ['session', 'policies']],
    [`/api/protect/get_by_id?deployment_id=chat&internal_id=${ID}`, undefined, ['list', '0', 'violations']],
  ];

  async function ask(
    path: string,
    body: unknown,
    query: string,
    headers: Record<string, string> = SHOWN,
  ): Promise<Answer> {
    const isEvent = path.startsWith('/api/event');
    const policies = isEvent ? EVENT : SESSION;
    const kind = isEvent ? ('event' as const) : ('session' as const);
    const item = storedItem({ id: ID, kind, scope: isEvent ? 'prod' : 'chat', policies, explained: told });
    ingress.found = { status: 'found', item };
    ingress.outcome = async (request) => ({
      status: 'done',
      record: record({
        kind: request.kind,
        items: [recordItem(1, { flagged: true, explained: 1 })],
        fragments: [policies, told],
      }),
    });
    const asked = `${path}${path.includes('?') ? '&' : '?'}${query}`;
    return await ingress.call({ method: body === undefined ? 'GET' : 'POST', path: asked, body, headers });
  }

  const evidenceIn = (answer: Answer, at: string[]): unknown[] => {
    assert.equal(answer.status, 200, answer.text);
    return at.reduce((value, step) => value[step], answer.json)[CARDS].evidence;
  };

  it('counts what the query asks for, also where that alone asks for evidence', async () => {
    for (const [path, body, at] of PLACES) {
      assert.deepEqual(evidenceIn(await ask(path, body, 'explain=true&offsets=utf16&matched=False'), at), [found]);
      const points = await ask(path, body, 'offsets=codepoints');
      assert.deepEqual(evidenceIn(points, at), [{ ...found, start: 2, end: 6 }]);
      const bytes = await ask(path, body, 'explain=1&offsets=bytes&policies=flagged');
      assert.deepEqual(evidenceIn(bytes, at), [{ ...found, start: 5, end: 9 }]);
      for (const plain of ['offsets=utf16', 'explain=false&offsets=utf16&matched=false', 'offsets=&matched=']) {
        assert.equal(evidenceIn(await ask(path, body, plain), at), undefined, plain);
      }
    }
  });

  it('has what was found where the query asks for it, which a look-up reads in history', async () => {
    ingress.contents = { status: 'found', value: new Map([[ID, content]]) };
    for (const [path, body, at] of PLACES) {
      const answer = await ask(path, body, 'matched=true&offsets=codepoints');
      assert.deepEqual(evidenceIn(answer, at), [{ ...found, start: 2, end: 6, matched: 'hush' }]);
      assert.equal(answer.text.includes('"note"'), false, answer.text);
    }
    const before = ingress.lookups.filter(([name]) => name === 'contents').length;
    await ask(`/api/event/${ID}?environment_id=prod`, undefined, 'explain=true&offsets=bytes');
    assert.equal(ingress.lookups.filter(([name]) => name === 'contents').length, before, 'only where it is asked for');
  });

  it('lacks it, and says so, where history has no content any more, or cannot be asked', async () => {
    for (const [contents, note] of [
      [{ status: 'found', value: new Map() }, /no matched texts: the content is not archived yet, or no longer kept/],
      [{ status: 'unavailable' }, /no matched texts: stored content cannot be read at the moment/],
    ] as const) {
      ingress.contents = contents;
      for (const [path, body, at] of PLACES.filter((place) => place[1] === undefined)) {
        const answer = await ask(path, body, 'matched=1&offsets=bytes');
        assert.deepEqual(evidenceIn(answer, at), [{ ...found, start: 5, end: 9 }]);
        if (!path.includes('protect')) assert.match((answer.json.session ?? answer.json).note, note);
      }
    }
  });

  it('is not shown where the audit log cannot be told of it [audit.first]', async () => {
    ingress.contents = { status: 'found', value: new Map([[ID, content]]) };
    const { told } = ingress;
    ingress.told = Object.assign([], { push: () => assert.fail('no room') });
    for (const [path, body, at] of PLACES.filter((place) => place[1] === undefined)) {
      const answer = await ask(path, body, 'matched=true&offsets=bytes');
      assert.deepEqual(evidenceIn(answer, at), [{ ...found, start: 5, end: 9 }]);
    }
    ingress.told = told;
  });

  it('is cut out of large bodies on a thread', async () => {
    const events = [text, { type: 'tool', output: 'x'.repeat(200_000) }];
    const answer = await ask('/api/events', { environment_id: 'prod', events }, 'matched=true');
    assert.deepEqual(evidenceIn(answer, PLACES[1]![2]), [{ ...found, matched: 'hush' }]);
  });

  it('is a 403 for keys without the scope content, before anything is checked or looked up', async () => {
    const before = [ingress.checks.length, ingress.lookups.length];
    for (const [path, body] of PLACES) {
      for (const query of ['matched=true', 'm%61tched=1&explain=true']) {
        const answer = await ask(path, body, query, {});
        assertError(answer, { status: 403, code: 'permission_denied', param: 'matched' });
        assert.match(answer.error.message, /does not have the scope content/);
      }
    }
    assert.deepEqual([ingress.checks.length, ingress.lookups.length], before);
    assert.equal((await ask('/api/event', PLACES[0]![1], 'matched=false', {})).status, 200);
    assertError(await ask('/api/event', PLACES[0]![1], 'matched=true', { authorization: 'Bearer reader' }), {
      status: 403,
      code: 'permission_denied',
    });
  });

  it('is a 400 where the query says something else, something twice, or wants it and does not', async () => {
    for (const [path, body] of PLACES) {
      for (const [query, param] of [
        ['offsets=chars', 'offsets'],
        ['offsets=bytes&offsets=bytes', 'offsets'],
        ['matched=yes', 'matched'],
        ['matched=1&matched=1', 'matched'],
        ['explain=false&offsets=bytes', 'explain'],
        ['explain=0&matched=1', 'explain'],
      ] as const) {
        assertError(await ask(path, body, query), { status: 400, code: 'validation_failed', param });
      }
    }
  });
});

describe('the content of an answer', () => {
  const ingress = sharedIngress();
  const CARD = '4111 1111 1111 1111';
  const message = { role: 'user', content: `é ${CARD}` };
  const sent = { environment_id: 'prod', event: { type: 'message', ...message } };
  const session = { messages: [message] };
  const batch = { environment_id: 'prod', events: [sent.event] };
  const CHECKS: [path: string, body: object, at: (json: Answer['json']) => object][] = [
    ['/api/event', sent, (json) => json],
    ['/api/events', batch, (json) => json.results.message.m1],
    ['/api/session/check', session, (json) => json],
    ['/api/session', session, (json) => json.session],
  ];

  async function ask(path: string, body: object, query: string, marked = true): Promise<Answer> {
    ingress.outcome = async (request) => {
      const text = request.body.toString();
      const start = Buffer.byteLength(text.slice(0, text.indexOf('"é ')));
      const marks = { at: [start, start + 24], texts: ['[CREDIT_CARD]'], cuts: [4, 19, 0] };
      const item = recordItem(1, { flagged: true, ...(marked ? { marks: 1 } : {}) });
      const made = { id: ID, kind: request.kind, items: [item], fragments: ['{}', JSON.stringify(marks)] };
      return { status: 'done', record: record(made) };
    };
    return await ingress.call({ path: `${path}${query}`, body });
  }

  it('is redacted where the query of a check asks for it, and is else not in it', async () => {
    for (const [path, body, at] of CHECKS) {
      const asked = await ask(path, body, '?redact=True');
      assert.equal((at(asked.json) as { redacted?: string }).redacted, 'é [CREDIT_CARD]', asked.text);
      assert.equal(ingress.checks.at(-1)!.redact, true);
      const { text } = await ask(path, body, '');
      assert.equal(asked.text.replace(',"redacted":"é [CREDIT_CARD]"', ''), text);
      assert.equal('redact' in ingress.checks.at(-1)!, false);
      for (const query of ['?redact=0', '?redact=']) {
        assert.equal((await ask(path, body, query)).text.includes('redacted'), false, `${path}${query}`);
      }
    }
  });

  it('is not given where the check was begun without it, which is told', async () => {
    for (const [path, body, at] of CHECKS) {
      const answer = at((await ask(path, body, '?redact=1', false)).json);
      assert.equal('redacted' in answer, false);
      assert.match((answer as { note: string }).note, /^not redacted: the check was begun without redact=true/);
    }
  });

  it('is a 400 where the query says something else, and look-ups and images ignore the word', async () => {
    for (const [path, body] of CHECKS) {
      for (const query of ['?redact=yes', '?redact=1&redact=1']) {
        assertError(await ask(path, body, query), { status: 400, code: 'validation_failed', param: 'redact' });
      }
    }
    const image = { content: { kind: 'image', data: 'AAAA' } };
    assert.equal((await ask('/api/artifact', image, '?redact=yes')).status, 200);
    ingress.found = { status: 'found', item: storedItem() };
    const path = `/api/event/${ID}?environment_id=prod`;
    const plain = await ingress.call({ method: 'GET', path });
    assert.equal((await ingress.call({ method: 'GET', path: `${path}&redact=yes` })).text, plain.text);
  });
});
