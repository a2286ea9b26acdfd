import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ENDPOINTS, type Endpoint, type EndpointName } from '#weir/shared/api/endpoints';
import type { Parameter } from '#weir/shared/api/endpoints/endpoint';
import { ERROR_STATUS } from '#weir/shared/api/errors';
import { DEFAULT_NODES, LIMITS } from '#weir/shared/api/limits';
import { openapiText } from '#weir/shared/api/openapi';
import { formOf, proseOf, type Schema } from '#weir/shared/api/openapi/forms';
import { validateGuardrail } from '#weir/shared/api/validate/guardrail';
import { validateSession } from '#weir/shared/api/validate/validate';
import { assertDocumented, openapi, operationOf, validatorOf } from '../../support/api/openapi.ts';
import { validateEvent, validateEvents } from '../../support/model/check-input.ts';

const run = promisify(execFile);
const NAMES = Object.keys(ENDPOINTS) as EndpointName[];
const JSON_TYPE = 'application/json';

/** Every schema within the document, with its path. */
function* schemasIn(schema: Schema, path: string): Generator<[path: string, schema: Schema]> {
  yield [path, schema];
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* schemasIn(property, `${path}.${name}`);
  if (schema.items) yield* schemasIn(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') yield* schemasIn(schema.additionalProperties, `${path}{}`);
  for (const member of schema.oneOf ?? []) yield* schemasIn(member, path);
}

const ALL = Object.entries(openapi.components.schemas).flatMap(([name, schema]) => [...schemasIn(schema, name)]);
const schemaAt = (path: string): Schema => {
  const found = ALL.find(([at]) => at === path);
  assert.ok(found, `${path} is not in the document`);
  return found[1];
};

/** Bodies just within and just over a limit, by the name of the operation. */
const BODIES: Partial<
  Record<EndpointName, { judge(body: unknown): { ok: boolean }; good: unknown[]; bad: unknown[] }>
> = {
  checkEvents: {
    judge: validateEvents,
    good: [
      { environment_id: 'e', events: Array(50).fill({ type: 'reasoning', content: [1, { a: null }], more: 1 }) },
      {
        environment_id: 'e',
        run_id: 'r'.repeat(128),
        external_session_id: '😀'.repeat(256),
        events: [
          {
            type: 'agent',
            state: {},
            metadata: null,
            links: Array(50).fill({ event_id: 'a' }),
            parent: null,
            role: null,
          },
        ],
      },
    ],
    bad: [
      { environment_id: 'e', events: [] },
      { environment_id: 'e', events: Array(51).fill({ type: 'reasoning', content: '' }) },
      { environment_id: 'e', run_id: 'r'.repeat(129), events: [{ type: 'reasoning', content: '' }] },
      { environment_id: 'e', run_id: 'r/1', events: [{ type: 'reasoning', content: '' }] },
      { environment_id: 'e', external_session_id: '😀'.repeat(257), events: [{ type: 'reasoning', content: '' }] },
      { environment_id: 'e', events: [{ type: 'thought', content: '' }] },
      { environment_id: 'e', events: [{ type: 'reasoning', content: 5 }] },
      { environment_id: 'e', events: [{ type: 'reasoning', content: '', links: Array(51).fill({ event_id: 'a' }) }] },
      { environment_id: 'e', events: [{ type: 'reasoning', content: '', parent: { internal_event_id: 'a' } }] },
      {
        environment_id: 'e',
        events: [{ type: 'tool', output: '', links: [{ event_id: 'a', relation: 'r'.repeat(65) }] }],
      },
    ],
  },
  checkEvent: {
    judge: validateEvent,
    good: [
      {
        environment_id: null,
        run_id: null,
        event: { type: 'tool', environment_id: 'e', output: '', name: 'n'.repeat(256) },
      },
    ],
    bad: [{ environment_id: 'e' }, { environment_id: '', event: { type: 'tool', output: '', name: 'n'.repeat(257) } }],
  },
  checkSession: {
    judge: validateSession,
    good: [
      {
        messages: [{ role: 'assistant-2', content: [{ type: 'output_text', text: '' }] }],
        policies: Array(100).fill('p'),
      },
      {
        messages: Array(1000).fill({ role: 'tool', content: '', metadata: null }),
        deployment_id: null,
        include_context: null,
      },
    ],
    bad: [
      { messages: [] },
      { messages: Array(1001).fill({ role: 'tool', content: '' }) },
      { messages: [{ role: 'owner', content: '' }] },
      { messages: [{ role: 'user', content: '' }], policies: [] },
      { messages: [{ role: 'user', content: '' }], policies: Array(101).fill('p') },
      { messages: [{ role: 'user', content: '' }], include_context: 'yes' },
    ],
  },
};

/** JSON pointers to the responses of endpoints that send a browser elsewhere. */
const REDIRECTING = ['login', 'callback'].map((name) => `#/paths/~1console~1${name}/get/responses`);

describe('the OpenAPI document', () => {
  it('passes every recommended rule of a public linter', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-lint-'));
    try {
      await writeFile(join(folder, 'openapi.json'), openapiText());
      await writeFile(join(folder, 'redocly.yaml'), 'extends: [recommended]\n');
      // What sends a browser elsewhere has no answer of 200 to 299, which a rule asks of all.
      await writeFile(
        join(folder, '.redocly.lint-ignore.yaml'),
        ['openapi.json:', '  operation-2xx-response:', ...REDIRECTING.map((at) => `    - '${at}'`), ''].join('\n'),
      );
      const redocly = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
      const { stdout } = await run(
        process.execPath,
        [join(dirname(redocly), 'bin/cli.js'), 'lint', 'openapi.json', '--format=json', '--max-problems=20'],
        {
          cwd: folder,
          env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
        },
      ).catch((error: { stdout: string }) => error);
      const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
        totals: Record<string, number>;
        problems: unknown;
      };
      assert.deepEqual(
        report.totals,
        { errors: 0, warnings: 0, ignored: REDIRECTING.length },
        JSON.stringify(report.problems),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('has every endpoint with its method, versions and security', () => {
    const documented = Object.entries(openapi.paths).flatMap(([path, item]) =>
      Object.keys(item).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
    const expected = Object.values<Endpoint>(ENDPOINTS).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(documented.sort(), expected.sort());
    for (const name of NAMES) {
      const endpoint: Endpoint = ENDPOINTS[name];
      const { parameters, security } = operationOf(name);
      const version = parameters.find((parameter) => 'name' in parameter && parameter.name === 'service-version');
      assert.deepEqual(version && 'schema' in version ? version.schema.enum : [], endpoint.versions, name);
      assert.equal(version !== undefined && 'required' in version && version.required, endpoint.versions.length > 0);
      assert.equal(security.length > 0, endpoint.scope !== null, name);
    }
  });

  it('documents each parameter of a path, and Idempotency-Key on every POST that has something checked', () => {
    for (const name of NAMES) {
      const endpoint: Endpoint = ENDPOINTS[name];
      const text = JSON.stringify(operationOf(name).parameters);
      const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const documented = operationOf(name).parameters.flatMap((p) => ('in' in p && p.in === 'path' ? [p.name] : []));
      assert.deepEqual(documented, inPath, name);
      assert.equal(text.includes('/IdempotencyKey"'), endpoint.method === 'POST' && !endpoint.alone, name);
      assert.ok(text.includes('/RequestId"'), name);
    }
  });

  it('names deprecated versions, and has the headers of deprecation only where there is one', () => {
    const expected: Partial<Record<EndpointName, string[]>> = {
      findSession: ['2025-12-01'],
      getSession: ['2025-12-01'],
    };
    for (const name of NAMES) {
      const { parameters, responses } = operationOf(name);
      for (const [status, { headers }] of Object.entries(responses)) {
        const sent = expected[name] !== undefined && status !== '405';
        for (const header of ['Deprecation', 'Link']) {
          assert.equal(headers?.[header] !== undefined, sent, `${name} ${status} ${header}`);
        }
      }
      const version = parameters.find((parameter) => 'name' in parameter && parameter.name === 'service-version');
      const [, told = ''] =
        /Deprecated here[^:]*: (.*)\.$/.exec((version as Parameter | undefined)?.description ?? '') ?? [];
      const { named }: Endpoint = ENDPOINTS[name];
      assert.deepEqual(told.match(/[\d-]+/g) ?? [], [...(expected[name] ?? []), ...(named ? [named] : [])], name);
    }
    assert.doesNotMatch(openapiText(), /sunset/i, 'nothing is going to be removed');
  });

  it('has every error code, in the schema of its status and at the operations that answer with it', () => {
    const text = JSON.stringify(openapi.paths);
    for (const [code, status] of Object.entries(ERROR_STATUS)) {
      const schema = ALL.find(([path, { enum: codes }]) => path.endsWith('.error.code') && codes?.includes(code));
      assert.ok(schema, code);
      assert.match(text, new RegExp(`"${status}":\\{"description":"[^"]*\`${code}\``), code);
    }
  });

  it('describes every type and field', () => {
    const missing = Object.entries(openapi.components.schemas).flatMap(([name, { description }]) =>
      description ? [] : [name],
    );
    for (const [path, schema] of ALL) {
      // The field that holds the buckets of a batch describes them.
      if (path === 'EventsResponse.results') continue;
      for (const [name, { description }] of Object.entries(schema.properties ?? {})) {
        if (!description) missing.push(`${path}.${name}`);
      }
    }
    assert.deepEqual(missing, [], 'these have no comment in shared/api/requests.ts or responses.ts');
  });

  it('describes every operation, parameter and answer', () => {
    for (const name of NAMES) {
      const { summary, description, parameters, responses } = operationOf(name);
      assert.ok(summary && description, name);
      for (const parameter of parameters) assert.ok('$ref' in parameter || parameter.description, name);
      for (const response of Object.values(responses)) assert.ok(response.description, name);
    }
  });

  it('turns the tags and links of comments into limits', () => {
    assert.deepEqual(formOf({ 'x-length': '1..idCharacters' }).limits, {
      minLength: 1,
      maxLength: LIMITS.idCharacters,
    });
    assert.deepEqual(formOf({ 'x-items': '..issues' }).limits, { maxItems: LIMITS.issues });
    assert.deepEqual(formOf({ 'x-range': '1..' }).limits, { type: 'integer', minimum: 1 });
    const prose = proseOf(
      'At most {@link LIMITS.imageBytes},\n{@link LIMITS.contentBytes}\nor {@link LIMITS.issues}:\n\n- a\n- b',
    );
    assert.equal(prose, 'At most 10 MiB, 256 KiB or 50:\n\n- a\n- b');
    for (const wrong of [{ 'x-form': 'none' }, { 'x-length': '5' }, { 'x-items': '..none' }, { 'x-lenght': '1..' }]) {
      assert.throws(() => formOf(wrong), JSON.stringify(wrong));
    }
    assert.throws(() => proseOf('{@link LIMITS.none}'));
    assert.doesNotMatch(openapiText(), /"x-(form|length|items|range)|@x-|@link/);
  });

  it('has no file names, section numbers or notes to ourselves', () => {
    assert.doesNotMatch(openapiText(), /\.ts\b|\(\d\.\d|section \d|Construct a type|TODO/);
  });

  it('has the limits that are enforced', () => {
    assert.equal(schemaAt('EventsRequest.events').maxItems, LIMITS.eventsPerBatch);
    assert.equal(schemaAt('EventInput.links').maxItems, LIMITS.linksPerEvent);
    assert.equal(schemaAt('EventInput.run_id').maxLength, LIMITS.idCharacters);
    assert.equal(schemaAt('EventInput.call_id').maxLength, LIMITS.nameCharacters);
    assert.equal(schemaAt('SessionRequest.messages').maxItems, LIMITS.messages);
    assert.equal(schemaAt('SessionRequest.policies').maxItems, LIMITS.policyIds);
    assert.equal(schemaAt('BadRequest.error.issues').maxItems, LIMITS.issues);
    assert.equal(schemaAt('ProtectList.list').maxItems, LIMITS.protectItems);
    const graph = operationOf('getRunGraph').parameters.find((one) => 'name' in one && one.name === 'limit');
    const { minimum, maximum, default: usual } = (graph as Parameter).schema;
    assert.deepEqual([minimum, maximum, usual], [1, LIMITS.graphNodes, DEFAULT_NODES]);
    assert.equal(openapi.components.parameters.IdempotencyKey!.schema.maxLength, LIMITS.idempotencyKeyCharacters);
  });

  it('has x-api-key only at the endpoints that take it', () => {
    for (const name of NAMES) {
      const endpoint: Endpoint = ENDPOINTS[name];
      const documented = operationOf(name).security.some((one) => 'keyHeader' in one);
      assert.equal(documented, endpoint.apiKeyHeader === true || endpoint.keyHeaderOnly === true, name);
    }
  });

  it('says that the guardrail checks images, as it does', () => {
    const accepted = validateGuardrail({ texts: ['x'], images: ['aGVsbG8='] }).ok;
    assert.equal(accepted, true);
    const { description } = operationOf('litellmGuardrail');
    assert.match(description, /Checks every text and image /);
    assert.doesNotMatch(description, /images is a 400/);
  });

  it('closes the schemas of answers, and leaves those of requests open', () => {
    assert.equal(schemaAt('EventResult').additionalProperties, false);
    assert.equal(schemaAt('EventResult.event').additionalProperties, false);
    assert.equal(schemaAt('EventInput').additionalProperties, undefined);
    const answer = { status: 200, header: () => 'x', json: { status: 'ok' } };
    const header = (name: string): string | undefined => (name === 'X-Request-Id' ? 'x' : undefined);
    assertDocumented('GET', '/healthz', { ...answer, header });
    for (const change of [
      { json: { status: 'ok', more: 1 } },
      { json: {} },
      { status: 418 },
      { header: () => undefined },
    ]) {
      assert.throws(() => assertDocumented('GET', '/healthz', { ...answer, header, ...change }));
    }
  });

  for (const [name, { judge, good, bad }] of Object.entries(BODIES)) {
    it(`takes and refuses the same bodies of ${name} as validation, at every limit`, () => {
      const { path } = ENDPOINTS[name as EndpointName];
      const fits = validatorOf('paths', path, 'post', 'requestBody', 'content', JSON_TYPE, 'schema');
      for (const body of good) {
        assert.deepEqual(judge(body), { ...judge(body), ok: true });
        assert.ok(fits(body), JSON.stringify(fits.errors));
      }
      for (const body of bad) {
        assert.equal(judge(body).ok, false, JSON.stringify(body).slice(0, 200));
        assert.equal(fits(body), false, JSON.stringify(body).slice(0, 200));
      }
    });
  }

  it('has examples of bodies and answers, each answer with its request', () => {
    for (const name of NAMES) {
      const { requestBody, responses } = operationOf(name);
      const requests = requestBody?.content[JSON_TYPE].examples;
      if (requestBody) assert.ok(Object.keys(requests ?? {}).length > 0, name);
      for (const example of Object.keys(ENDPOINTS[name].answer.examples ?? {})) {
        if (ENDPOINTS[name].method === 'POST') assert.ok(requests?.[example], `${name}: ${example}`);
      }
      const good = responses[200] ?? responses[202];
      if (ENDPOINTS[name].answer.schema) assert.ok(good!.content?.[JSON_TYPE]?.examples, name);
    }
  });

  it('is the same text every time', () => {
    assert.equal(openapiText(), openapiText());
    assert.deepEqual(JSON.parse(openapiText()), JSON.parse(JSON.stringify(openapi)));
  });
});
