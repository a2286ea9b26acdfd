/** Valid requests, a generator per endpoint. A new endpoint is a type error until it has one. */
import fc from 'fast-check';
import type { EndpointName } from '#weir/shared/api/endpoints';
import { LIMITS } from '#weir/shared/api/limits';
import { POLICY } from '../e2e/configuration.ts';
import {
  asObject,
  hostileText,
  id,
  json,
  KEPT,
  metadata,
  name,
  type Pool,
  type PoolKind,
  text,
  UNKNOWN,
} from './values.ts';

/** A request as its sender means it, before anything is broken. */
export interface Draft {
  endpoint: string;
  /** the last segment of a path that has a parameter */
  id?: string;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  version: string;
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAMCAMAAABcOc2zAAAAA1BMVEU6bqXTREzSAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQI12NgGD4AAADMAAG01/g9AAAAAElFTkSuQmCC';

export type Generator = (pool: Pool) => fc.Arbitrary<Draft>;

const NEWEST = '2026-06-01';
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });
const index = fc.nat({ max: 9999 });
const day = fc.integer({ min: 1, max: 300 }).map((n) => new Date(Date.now() - n * 86_400_000).toISOString());
/** What chooses items of history. */
const PAST = {
  from: optional(day),
  policy: optional(fc.oneof(fc.constantFrom<string>(...Object.values(POLICY), 'Cards'), name)),
  source: optional(fc.constantFrom('text', 'image')),
  condition: optional(fc.oneof(fc.constantFrom('all', 'free'), name)),
  user: optional(name),
  run_id: optional(name),
  external_session_id: optional(name),
};
const uuid = fc.uuid();
/** Of entries that operators list. */
const place = fc
  .tuple(fc.nat({ max: 9999 }), fc.nat({ max: 999_999_999_999_999 }), fc.nat({ max: 99 }))
  .map(([partition, ms, n]) => `${partition}/${ms}-${n}`);
const PLACES = fc
  .record({ after: place, limit: fc.integer({ min: 1, max: 100 }).map(String) }, { requiredKeys: [] })
  .map((query): Record<string, string> => ({ ...query }));

/** What names an item that has a verdict, in a body or a query. */
const judgedItem = (pool: Pool): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      fc.constantFrom<PoolKind>('event', 'session', 'artifact', 'foreign-event', 'foreign-session', 'foreign-artifact'),
      index,
      uuid,
      fc.constantFrom('prod', 'staging'),
      fc.constantFrom({}, { deployment_id: 'chat' }, { deployment_id: 'support' }),
    )
    .map(([kind, number, random, environment_id, deployment]) => ({
      ...(kind.endsWith('event') ? { environment_id } : deployment),
      [`internal_${kind.replace('foreign-', '')}_id`]: pool.pick(kind, number) || random,
    }));

const AUDITED = fc
  .record(
    {
      action: fc.constantFrom('content.read', 'label.set', 'key.changed', 'erasure.requested'),
      actor: name,
      subject: uuid,
      limit: fc.integer({ min: 1, max: 200 }).map(String),
    },
    { requiredKeys: [] },
  )
  .map((query): Record<string, string> => ({ ...query }));

/** Leaves out what is undefined; adds a field nobody knows now and then, with a value of `unknown`. */
const shaped = (
  fields: Record<string, fc.Arbitrary<unknown>>,
  extra: boolean,
  unknown = UNKNOWN,
): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(fc.record(fields), extra ? fc.nat({ max: 7 }) : fc.constant(9), fc.constantFrom('x', '__proto__', unknown))
    .map(([record, more, field]) => {
      const entries = Object.entries(record).filter(([, value]) => value !== undefined);
      if (more < 2) entries.push([field, more === 0 ? unknown : { [unknown]: [unknown] }]);
      return asObject(entries);
    });

const reference = fc.oneof(
  shaped({ event_id: id, run_id: optional(id) }, false),
  uuid.map((internal) => ({ internal_event_id: internal })),
);
const link = fc
  .tuple(reference, optional(hostileText.map((each) => each.slice(0, 32))))
  .map(([target, relation]) => (relation === undefined ? target : { ...target, relation }));

const common = {
  event_id: optional(id),
  run_id: optional(id),
  metadata: optional(metadata),
  external_session_id: optional(name),
  external_artifact_id: optional(name),
  name: optional(fc.oneof(fc.constant('search'), name)),
  call_id: optional(name),
  format: optional(name),
  parent: optional(fc.oneof(reference, id)),
  links: optional(fc.array(fc.oneof(link, id), { maxLength: 3 })),
};
const content = fc.oneof(
  text,
  fc.array(json, { maxLength: 3 }),
  metadata,
  // JSON in a string, as models give arguments.
  metadata.map((value) => JSON.stringify(value)),
);

/** What functions take and return beside that. */
const scalar = fc.oneof(
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(4111111111111111),
);
const RETURNED = ['arguments', 'output'];

function typed(type: string, fields: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  return fc.constantFrom(...fields).chain((field) =>
    shaped(
      {
        type: fc.constant(type),
        ...common,
        [field]: RETURNED.includes(field) ? fc.oneof({ arbitrary: content, weight: 3 }, scalar) : content,
        ...(type === 'message' ? { role: fc.constantFrom('user', 'assistant', 'user-2', 'assistant-') } : {}),
      },
      true,
    ),
  );
}

const event = fc.oneof(
  typed('message', ['content']),
  typed('tool', ['arguments', 'output', 'definition']),
  typed('function', ['arguments', 'output', 'definition']),
  typed('agent', ['input', 'instructions', 'output', 'state']),
  typed('reasoning', ['content']),
  shaped(
    { type: fc.constantFrom('message', 'tool', 'agent', 'reasoning', 'artifact'), event_id: id, run_id: optional(id) },
    false,
  ),
);
/** An event that needs nothing beside it, in the run that is generated where none is named. */
const plainEvent = text.map((content) => ({ type: 'reasoning', content }));
/** One event that is no reference without a run. */
const single = event.map((each) =>
  each.role === undefined && !('run_id' in each) ? { ...each, run_id: 'fuzz' } : each,
);

const environment = fc.constantFrom('prod', 'prod', 'staging', 'support');

const textPart = shaped({ type: fc.constantFrom('text', 'input_text', 'output_text', 'refusal'), text }, false);
/** Arguments of a call: an object, and the string that models make of it. */
const callArguments = fc.oneof(
  json,
  json.map((value) => JSON.stringify(value) ?? ''),
);
const callPart = fc.oneof(
  shaped({ type: fc.constant('tool_use'), id, name: text, input: callArguments }, false),
  shaped({ type: fc.constant('tool_result'), tool_use_id: id, content: fc.oneof(text, fc.array(textPart)) }, false),
);
const toolCall = shaped(
  { id, type: fc.constant('function'), function: shaped({ name: text, arguments: callArguments }, false) },
  false,
);
const spoken = shaped(
  {
    role: fc.constantFrom('user', 'system', 'developer', 'tool', 'assistant', 'assistant-2', 'user-'),
    content: fc.oneof(text, fc.array(fc.oneof(textPart, callPart), { maxLength: 3 })),
    metadata: optional(metadata),
  },
  true,
  KEPT,
);
const calling = shaped(
  {
    role: fc.constantFrom('assistant', 'assistant-2'),
    content: fc.constantFrom(undefined, null, ''),
    tool_calls: fc.array(toolCall, { minLength: 1, maxLength: 2 }),
  },
  true,
  KEPT,
);
/** Messages that are context, and of which nothing can be used. */
const useless = fc.oneof(
  json,
  shaped({ role: fc.constantFrom('function', 'model', 7, undefined), content: fc.oneof(text, json) }, true, KEPT),
  shaped({ role: fc.constantFrom('assistant', 'tool'), content: fc.constantFrom(null, 5, undefined) }, false),
);
const message = fc.oneof({ arbitrary: spoken, weight: 4 }, { arbitrary: calling, weight: 1 });
/** Parts that are skipped where a message is context. */
const seen = shaped(
  {
    role: fc.constant('user'),
    content: fc.array(fc.oneof(textPart, fc.constantFrom({ type: 'image_url', image_url: {} }, { type: 'audio' }))),
  },
  false,
);

const sessionBody = shaped(
  {
    messages: fc
      .tuple(fc.array(fc.oneof(message, message, seen, useless), { maxLength: 3 }), message)
      .map(([earlier, last]) => [...earlier, last]),
    deployment_id: fc.constantFrom('chat', 'chat', undefined),
    external_session_id: optional(name),
    include_context: optional(fc.boolean()),
    metadata: optional(metadata),
    policies: optional(fc.subarray([POLICY.card, POLICY.mail, POLICY.sesame], { minLength: 1 })),
  },
  true,
);

/** Policies as they are tried: one in the place of another, and a new one. */
const EDITED = [
  { id: POLICY.sesame, detect: { regex: { patterns: ['o.{1,3}n'] } } },
  { name: 'Fresh', detect: { pii: { entities: ['EMAIL_ADDRESS'], threshold: 0.2 } } },
];

const version = fc.constantFrom('2025-12-01', '2026-04-15', NEWEST);

const probe =
  (endpoint: string): Generator =>
  () =>
    fc.constant({ endpoint, version: '' });

const lookup =
  (
    endpoint: string,
    kind: 'event' | 'session',
    query: (own: boolean) => fc.Arbitrary<Record<string, string>>,
  ): Generator =>
  (pool) =>
    fc
      .tuple(fc.nat({ max: 9 }), index, uuid, query(true), kind === 'event' ? fc.constant(NEWEST) : version)
      .map(([which, number, random, rest, sent]) => {
        const known = which < 6 ? pool.pick(kind, number) : which < 9 ? pool.pick(`foreign-${kind}`, number) : '';
        return { endpoint, id: known || random, query: rest, version: sent };
      });

/** Whole and broken images, by their bytes and by an address where nothing answers. */
const image = fc.oneof(
  fc.constant({ data: PNG }),
  fc.constant({ data: `data:image/png;base64,${PNG}`, mime_type: 'image/jpeg', name: 'a.png' }),
  fc.nat({ max: PNG.length }).map((length) => ({ data: PNG.slice(0, length) })),
  text.map((data) => ({ data: data.slice(0, 200) })),
  fc.constantFrom({ url: 'http://127.0.0.1:1/' }, { url: 'https://images.invalid/a.png' }),
);
const imageContent = image.map((one) => ({ kind: 'image', ...one }));

const deploymentQuery = (): fc.Arbitrary<Record<string, string>> =>
  fc.constantFrom<Record<string, string>>({}, {}, { deployment_id: 'chat' }, { deployment_id: 'support' });

/** A message as a gateway may hand it on, of any shape; an item of the Responses API among them. */
const gatewayMessage = fc.oneof(
  fc.record(
    {
      role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'function', 'other', null),
      content: fc.oneof(text, fc.array(fc.oneof(fc.record({ type: fc.constant('text'), text }), fc.jsonValue()))),
    },
    { requiredKeys: [] },
  ),
  fc.record({ type: fc.constantFrom('function_call_output', 'reasoning'), output: text }),
);

/** What is asked of a model, and what it answers, in the forms of several. What is unknown in it is content. */
const modelRequest = fc.oneof(
  shaped(
    { messages: fc.array(gatewayMessage, { maxLength: 4 }), system: optional(text), tools: optional(json) },
    true,
    'more',
  ),
  shaped(
    { input: fc.oneof(text, fc.array(gatewayMessage)), instructions: optional(text), prompt: optional(text) },
    true,
  ),
  shaped(
    { contents: fc.array(fc.record({ role: fc.constant('user'), parts: fc.array(fc.record({ text })) })) },
    true,
    'more',
  ),
  fc.jsonValue(),
);
const modelResponse = fc.oneof(
  shaped({ choices: fc.array(fc.oneof(fc.record({ message: gatewayMessage }), fc.record({ text }))) }, true, 'more'),
  shaped(
    { output: fc.array(gatewayMessage), object: fc.constant('response'), instructions: optional(text) },
    true,
    'more',
  ),
  shaped(
    { content: fc.array(fc.record({ type: fc.constant('text'), text })), role: fc.constant('assistant') },
    true,
    'more',
  ),
  fc.jsonValue(),
);

/** By name. */
export const GENERATORS = {
  checkEvents: () =>
    shaped(
      {
        environment_id: environment,
        run_id: optional(id),
        external_session_id: optional(name),
        events: fc.tuple(fc.array(event, { maxLength: 5 }), plainEvent).map(([all, one]) => [...all, one]),
      },
      true,
    ).map((body) => ({ endpoint: 'checkEvents', body, version: NEWEST })),
  checkEvent: () =>
    shaped(
      { environment_id: environment, external_session_id: fc.constantFrom(undefined, null), event: single },
      true,
    ).map((body) => ({
      endpoint: 'checkEvent',
      body,
      version: NEWEST,
    })),
  findEvent: () =>
    fc
      .tuple(environment, id, id, fc.constantFrom('', '', 'message', 'tool', 'artifact'))
      .map(([environment_id, run_id, event_id, type]) => ({
        endpoint: 'findEvent',
        query: { environment_id, run_id, event_id, ...(type === '' ? {} : { type }) },
        version: NEWEST,
      })),
  getEvent: lookup('getEvent', 'event', () => environment.map((environment_id) => ({ environment_id }))),
  checkSession: (pool) =>
    fc.tuple(sessionBody, fc.nat({ max: 3 }), index, version).map(([body, joined, number, v]) => {
      const earlier = joined === 0 ? pool.pick('session', number) : '';
      const { external_session_id: _, ...rest } = body;
      return {
        endpoint: 'checkSession',
        body: earlier === '' ? body : { ...rest, internal_session_id: earlier },
        version: v,
      };
    }),
  createSession: () =>
    fc
      .tuple(sessionBody, fc.constantFrom('2026-04-15', NEWEST))
      .map(([body, v]) => ({ endpoint: 'createSession', body, version: v })),
  checkProtect: () =>
    fc
      .tuple(sessionBody, optional(name), fc.constantFrom(true, 'False', null, undefined), version)
      .map(([{ external_session_id: own, ...body }, external, names, v]) => ({
        endpoint: 'checkProtect',
        body: { ...body, external_id: external ?? own, include_policy_names: names },
        version: v,
      })),
  findSession: () =>
    fc.tuple(name, deploymentQuery(), version).map(([external_session_id, rest, v]) => ({
      endpoint: 'findSession',
      query: { external_session_id, ...rest },
      version: v,
    })),
  getSession: lookup('getSession', 'session', deploymentQuery),
  // Few ids, so that pieces of a stream meet.
  checkStream: () =>
    shaped(
      {
        stream_id: fc.nat({ max: 40 }).map((n) => `stream-${n}`),
        sequence: fc.constantFrom(0, 0, 0, 1, 2, 3),
        delta: optional(text),
        final: optional(fc.boolean()),
        role: optional(fc.constantFrom('assistant', 'user', 'assistant-2')),
        external_session_id: optional(name),
        metadata: optional(metadata),
      },
      true,
    ).chain((body) =>
      fc
        .oneof(
          fc.constantFrom({}, { deployment_id: 'chat' }, { deployment_id: 'support' }),
          fc.tuple(environment, optional(id)).map(([environment_id, run_id]) => ({
            environment_id,
            ...(run_id === undefined ? {} : { run_id }),
          })),
        )
        .map((scope) => ({ endpoint: 'checkStream', body: { ...body, ...scope }, version: NEWEST })),
    ),
  restore: () =>
    fc
      .tuple(
        shaped(
          {
            text: fc.oneof(text, fc.array(fc.oneof(text, fc.constant('[EMAIL_ADDRESS_1] [TERM_2]')), { maxLength: 3 })),
            sealed: fc.constant([]),
          },
          true,
        ),
        version,
      )
      .map(([body, v]) => ({ endpoint: 'restore', body, version: v })),
  tryPolicies: () =>
    fc
      .tuple(
        fc.oneof(
          fc.record({ environment_id: environment, event: plainEvent }),
          fc.record({
            deployment_id: fc.constantFrom('chat', 'support'),
            messages: fc.array(spoken, { minLength: 1, maxLength: 2 }),
          }),
          fc.constant({ deployment_id: 'chat', content: { kind: 'image', data: 'AAAA' } }),
        ),
        optional(fc.subarray(EDITED, { minLength: 1 })),
        version,
      )
      .map(([body, policies, v]) => ({
        endpoint: 'tryPolicies',
        body: { ...body, ...(policies === undefined ? {} : { policies }) },
        version: v,
      })),
  backtestPolicies: () =>
    fc
      .tuple(
        fc.oneof(
          fc.record({ environment_id: environment }),
          fc.record({ deployment_id: fc.constantFrom('chat', 'support') }),
        ),
        fc.record({ from: optional(fc.constantFrom('2020-01-01T00:00:00Z', null)) }, { requiredKeys: [] }),
        optional(fc.subarray(EDITED, { minLength: 1 })),
        version,
      )
      .map(([place, { from }, policies, v]) => ({
        endpoint: 'backtestPolicies',
        body: {
          ...place,
          ...(from ? { from, to: '2020-06-01T00:00:00Z' } : {}),
          ...(policies === undefined ? {} : { policies }),
        },
        version: v,
      })),
  testPolicies: () =>
    fc
      .tuple(
        fc.oneof(fc.constant({ environment_id: 'prod' }), fc.constant({ deployment_id: 'chat' })),
        fc.array(fc.tuple(hostileText, fc.boolean()), { minLength: 1, maxLength: 4 }),
        optional(fc.subarray(EDITED, { minLength: 1 })),
        version,
      )
      .map(([place, cases, policies, v]) => ({
        endpoint: 'testPolicies',
        body: {
          ...place,
          cases: JSON.stringify({
            cases: cases.map(([text, flagged], i) => ({ name: `case ${i}`, text, expect: { flagged } })),
          }),
          ...(policies === undefined ? {} : { policies }),
        },
        version: v,
      })),
  label: (pool) =>
    fc
      .tuple(
        judgedItem(pool),
        shaped(
          {
            policy: fc.oneof(fc.constantFrom<unknown>(...Object.values(POLICY), 'Cards', 'Sesame', 'Images'), name),
            label: fc.constantFrom('true_alarm', 'false_alarm', 'missed', 'withdrawn'),
            note: optional(hostileText),
            reviewer: optional(hostileText.map((each) => each.slice(0, 100))),
          },
          true,
        ),
        version,
      )
      .map(([item, body, v]) => ({ endpoint: 'label', body: { ...body, ...item }, version: v })),
  appeal: (pool) =>
    fc
      .tuple(
        judgedItem(pool),
        shaped(
          {
            policy: fc.oneof(fc.constantFrom<unknown>(...Object.values(POLICY), 'Cards', 'Sesame', 'Images'), name),
            note: optional(hostileText),
            reference: optional(hostileText.map((each) => each.slice(0, 100))),
          },
          true,
        ),
        version,
      )
      .map(([item, body, v]) => ({ endpoint: 'appeal', body: { ...body, ...item }, version: v })),
  getAppeals: (pool) =>
    fc
      .tuple(judgedItem(pool), version)
      .map(([query, v]) => ({ endpoint: 'getAppeals', query: query as Record<string, string>, version: v })),
  getOpenAppeals: () =>
    fc
      .tuple(
        shaped(
          {
            limit: optional(fc.integer({ min: 1, max: 100 }).map(String)),
            policy: optional(fc.oneof(fc.constantFrom<string>(...Object.values(POLICY), 'Cards'), name)),
            after: optional(fc.constantFrom(`1790000000000.${POLICY.card}.${POLICY.sesame}`)),
          },
          false,
        ),
        version,
      )
      .map(([query, v]) => ({ endpoint: 'getOpenAppeals', query: query as Record<string, string>, version: v })),
  getLabelQueue: () =>
    fc
      .tuple(
        shaped(
          {
            days: optional(fc.integer({ min: 1, max: 30 }).map(String)),
            limit: optional(fc.integer({ min: 1, max: 100 }).map(String)),
            policy: optional(fc.oneof(fc.constantFrom<string>(...Object.values(POLICY), 'Cards'), name)),
            reviewer: optional(name.map((each) => each.slice(0, 100))),
          },
          false,
        ),
        version,
      )
      .map(([query, v]) => ({ endpoint: 'getLabelQueue', query: query as Record<string, string>, version: v })),
  litellmGuardrail: () =>
    shaped(
      {
        texts: fc.array(text, { maxLength: 4 }),
        tool_calls: optional(fc.array(fc.record({ id: text, function: fc.record({ name: text, arguments: text }) }))),
        structured_messages: optional(fc.array(gatewayMessage, { maxLength: 4 })),
        input_type: optional(fc.constantFrom('request', 'response')),
        litellm_call_id: optional(hostileText),
        litellm_trace_id: optional(name),
        request_data: optional(
          fc.record({ user_api_key_end_user_id: hostileText, user_api_key_user_email: hostileText }),
        ),
      },
      true,
    ).map((body) => ({ endpoint: 'litellmGuardrail', body, version: '' })),
  createModeration: () =>
    shaped(
      {
        input: fc.oneof(
          text,
          fc.array(text, { minLength: 1, maxLength: 4 }),
          fc.array(fc.record({ type: fc.constant('text'), text }), { minLength: 1, maxLength: 3 }),
        ),
        model: optional(hostileText),
        user: optional(hostileText),
        role: optional(fc.constantFrom('user', 'assistant')),
      },
      true,
    ).map((body) => ({ endpoint: 'createModeration', body, version: '' })),
  analyzeComment: () =>
    shaped(
      {
        comment: fc.record({ text: text.filter((one) => one !== '') }),
        requestedAttributes: fc.dictionary(
          fc.constantFrom('TOXICITY', 'THREAT', 'SEVERE_TOXICITY', 'INSULT_EXPERIMENTAL'),
          fc.constantFrom({}, { scoreThreshold: 0.5 }, null),
          { minKeys: 1 },
        ),
        spanAnnotations: optional(fc.boolean()),
        languages: optional(fc.array(hostileText, { maxLength: 3 })),
        doNotStore: optional(fc.boolean()),
        clientToken: optional(name),
        sessionId: optional(name),
        communityId: optional(name),
      },
      true,
    ).map((body) => ({ endpoint: 'analyzeComment', body, version: '' })),
  analyzeText: () =>
    shaped(
      {
        text: fc.oneof(
          text.filter((one) => one !== ''),
          fc.array(text, { minLength: 1, maxLength: 4 }),
        ),
        language: fc.constantFrom('en', 'de', 'zh-Hans'),
        entities: optional(fc.constantFrom([], null)),
        score_threshold: optional(fc.constantFrom(0, 0.6, 1)),
        correlation_id: optional(name),
        return_decision_process: optional(fc.boolean()),
        allow_list: optional(fc.array(hostileText, { maxLength: 3 })),
        ad_hoc_recognizers: optional(fc.constant([])),
      },
      true,
    ).map((body) => ({ endpoint: 'analyzeText', body, version: '' })),
  anonymizeText: () =>
    shaped(
      {
        text: text.filter((one) => one.length > 1),
        analyzer_results: fc.array(
          fc.record({
            entity_type: fc.constantFrom('CREDIT_CARD', 'PERSON', '__proto__'),
            start: fc.constantFrom(0, 1),
            end: fc.constantFrom(1),
            score: fc.constantFrom(0, 0.5, 1),
          }),
          { maxLength: 4 },
        ),
        anonymizers: optional(
          fc.dictionary(
            fc.constantFrom('CREDIT_CARD', 'DEFAULT'),
            fc.constantFrom(
              { type: 'redact' },
              { type: 'keep' },
              { type: 'replace', new_value: '' },
              { type: 'mask', masking_char: '*', chars_to_mask: 4, from_end: true },
              { type: 'hash', hash_type: 'sha512' },
            ),
          ),
        ),
      },
      true,
    ).map((body) => ({ endpoint: 'anonymizeText', body, version: '' })),
  supportedEntities: () => fc.constant({ endpoint: 'supportedEntities', version: '' }),
  checkPrompt: () =>
    shaped({ body: fc.record({ messages: fc.array(gatewayMessage, { maxLength: 4 }) }) }, true).map((body) => ({
      endpoint: 'checkPrompt',
      body,
      version: '',
    })),
  checkCompletion: () =>
    shaped({ body: fc.record({ choices: fc.array(fc.record({ message: gatewayMessage })) }) }, true).map((body) => ({
      endpoint: 'checkCompletion',
      body,
      version: '',
    })),
  checkPortkey: () =>
    shaped(
      {
        eventType: fc.constantFrom('beforeRequestHook', 'afterRequestHook'),
        request: fc.record({ json: modelRequest, text: optional(text) }),
        response: fc.record({ json: modelResponse }),
        metadata: optional(fc.record({ _user: hostileText, session_id: name })),
        provider: optional(hostileText),
      },
      true,
    ).map((body) => ({ endpoint: 'checkPortkey', body, version: '' })),
  checkEnvoy: () =>
    fc
      .tuple(modelRequest, fc.constantFrom('', 'v1', 'v1/chat/completions'))
      .map(([body, id]) => ({ endpoint: 'checkEnvoy', id, body: body as Record<string, unknown>, version: '' })),
  checkNemo: () =>
    shaped(
      {
        messages: fc.array(gatewayMessage, { maxLength: 4 }),
        model: optional(hostileText),
        guardrails: optional(fc.record({ config_id: text, context: json }, { requiredKeys: [] })),
      },
      true,
      'more',
    ).map((body) => ({ endpoint: 'checkNemo', body, version: '' })),
  checkArtifact: (pool) =>
    fc
      .tuple(
        shaped(
          {
            content: imageContent,
            external_artifact_id: optional(name),
            role: optional(fc.constantFrom('user', 'assistant', 'tool-2')),
            deployment_id: fc.constantFrom('chat', undefined),
            metadata: optional(metadata),
          },
          true,
        ),
        fc.nat({ max: 3 }),
        index,
        name,
        version,
      )
      .map(([body, linked, number, external_session_id, v]) => {
        const session = pool.pick('session', number);
        const link =
          linked === 0 && session !== ''
            ? { internal_session_id: session }
            : linked === 1
              ? { external_session_id }
              : {};
        return { endpoint: 'checkArtifact', body: { ...body, ...link }, version: v };
      }),
  getArtifact: (pool) =>
    fc
      .tuple(
        fc.constantFrom<PoolKind | ''>('artifact', 'foreign-artifact', ''),
        index,
        uuid,
        name,
        deploymentQuery(),
        version,
      )
      .map(([known, number, random, external_artifact_id, rest, v]) => ({
        endpoint: 'getArtifact',
        query: {
          ...(known === '' ? { external_artifact_id } : { internal_artifact_id: pool.pick(known, number) || random }),
          ...rest,
        },
        version: v,
      })),
  getRunGraph: () =>
    fc.tuple(environment, id, optional(fc.integer({ min: 1, max: 500 }))).map(([environment_id, run_id, limit]) => ({
      endpoint: 'getRunGraph',
      query: { environment_id, run_id, ...(limit === undefined ? {} : { limit: String(limit) }) },
      version: NEWEST,
    })),
  getProtect: (pool) =>
    fc
      .tuple(fc.boolean(), index, uuid, name, version, fc.constantFrom('true', 'false'))
      .map(([internal, number, random, external_id, v, names]) => ({
        endpoint: 'getProtect',
        query: {
          deployment_id: 'chat',
          include_policy_names: names,
          ...(internal ? { internal_id: pool.pick('session', number) || random } : { external_id }),
        },
        version: v,
      })),
  getRisk: () =>
    fc
      .tuple(fc.constantFrom('id', 'email'), name, version)
      // An address of spaces is none.
      .filter(([by, value]) => by === 'id' || value.trim() !== '')
      .map(([by, value, v]) => ({ endpoint: 'getRisk', query: { [by]: value }, version: v })),
  getKey: () => version.map((v) => ({ endpoint: 'getKey', version: v })),
  getHistory: (pool) =>
    fc
      .tuple(
        shaped(
          {
            ...PAST,
            verdict: optional(fc.constantFrom('flagged', 'clean', 'not_evaluated')),
            text: optional(name),
            limit: optional(fc.integer({ min: 1, max: 200 }).map(String)),
          },
          false,
        ),
        optional(index),
        version,
      )
      .map(([query, before, v]) => ({
        endpoint: 'getHistory',
        query: {
          ...(query as Record<string, string>),
          ...(before === undefined ? {} : { before: pool.pick('event', before) }),
        },
        version: v,
      })),
  getConversation: (pool) =>
    fc
      .tuple(
        fc.constantFrom<Record<string, string>>({ environment_id: 'prod' }, { deployment_id: 'chat' }),
        name,
        optional(fc.integer({ min: 1, max: 100 }).map(String)),
        optional(index),
        version,
      )
      .map(([place, external_session_id, limit, after, v]) => ({
        endpoint: 'getConversation',
        query: {
          ...place,
          external_session_id,
          ...(limit === undefined ? {} : { limit }),
          ...(after === undefined ? {} : { after: pool.pick('event', after) }),
        },
        version: v,
      })),
  getHistoryFigures: () =>
    fc
      .tuple(
        shaped({ ...PAST, by: optional(fc.constantFrom('policy', 'source', 'condition', 'user', 'shadow')) }, false),
        version,
      )
      .map(([query, v]) => ({ endpoint: 'getHistoryFigures', query: query as Record<string, string>, version: v })),
  getUsers: () =>
    fc
      .tuple(
        shaped(
          {
            level: optional(fc.constantFrom('elevated', 'severe')),
            limit: optional(fc.integer({ min: 1, max: 200 }).map(String)),
          },
          false,
        ),
        version,
      )
      .map(([query, v]) => ({ endpoint: 'getUsers', query: query as Record<string, string>, version: v })),
  getConfigurationVersions: () =>
    fc
      .tuple(
        shaped(
          {
            before: optional(fc.integer({ min: 1, max: 999_999_999 }).map(String)),
            limit: optional(fc.integer({ min: 1, max: LIMITS.configurationVersions }).map(String)),
          },
          false,
        ),
        version,
      )
      .map(([query, v]) => ({
        endpoint: 'getConfigurationVersions',
        query: query as Record<string, string>,
        version: v,
      })),
  getConfigurationChanges: () =>
    fc
      .tuple(fc.constantFrom<Record<string, string>>({}, { from: '1' }), version)
      .map(([query, v]) => ({ endpoint: 'getConfigurationChanges', id: '1', query, version: v })),
  getConfiguredPolicies: () =>
    fc
      .tuple(
        shaped(
          {
            version: optional(fc.constant('1')),
            after: optional(fc.constantFrom(POLICY.card, POLICY.unused)),
            limit: optional(fc.integer({ min: 1, max: LIMITS.configuredPolicies }).map(String)),
          },
          false,
        ),
        version,
      )
      .map(([query, v]) => ({ endpoint: 'getConfiguredPolicies', query: query as Record<string, string>, version: v })),
  getAudit: () => fc.tuple(AUDITED, version).map(([query, v]) => ({ endpoint: 'getAudit', query, version: v })),
  getAuditOfAll: () =>
    fc.tuple(AUDITED, version).map(([query, v]) => ({ endpoint: 'getAuditOfAll', query, version: v })),
  getStatus: () => version.map((v) => ({ endpoint: 'getStatus', version: v })),
  getDeadLetters: () =>
    fc.tuple(PLACES, version).map(([query, v]) => ({ endpoint: 'getDeadLetters', query, version: v })),
  getRefused: () => fc.tuple(PLACES, version).map(([query, v]) => ({ endpoint: 'getRefused', query, version: v })),
  // There are none of these.
  replay: () =>
    fc
      .tuple(
        fc.oneof(
          place.map((dead_letter) => ({ dead_letter })),
          place.map((refused) => ({ refused, dead_letter: null })),
          fc.constant({ refused: 'all' }),
        ),
        version,
      )
      .map(([body, v]) => ({ endpoint: 'replay', body, version: v })),
  // What nobody has sent, or another team: what the others look up stays.
  eraseUser: () =>
    fc
      .tuple(fc.constantFrom('id', 'email'), uuid, version)
      .map(([by, value, v]) => ({ endpoint: 'eraseUser', query: { [by]: value }, version: v })),
  eraseSession: (pool) =>
    fc.tuple(index, uuid, deploymentQuery(), version).map(([number, random, query, v]) => ({
      endpoint: 'eraseSession',
      id: pool.pick('foreign-session', number) || random,
      query,
      version: v,
    })),
  eraseRun: () =>
    fc.tuple(uuid, version).map(([run, v]) => ({
      endpoint: 'eraseRun',
      query: { environment_id: 'prod', run_id: run },
      version: v,
    })),
  eraseEvent: (pool) =>
    fc.tuple(index, uuid, version).map(([number, random, v]) => ({
      endpoint: 'eraseEvent',
      id: pool.pick('foreign-event', number) || random,
      query: { environment_id: 'prod' },
      version: v,
    })),
  getErasure: () => fc.tuple(uuid, version).map(([id, v]) => ({ endpoint: 'getErasure', id, version: v })),
  getOpenapi: probe('getOpenapi'),
  getHome: probe('getHome'),
  getLogin: probe('getLogin'),
  getLoginAnswer: probe('getLoginAnswer'),
  getLoginSession: probe('getLoginSession'),
  endLoginSession: probe('endLoginSession'),
  getConsole: probe('getConsole'),
  getConsoleFile: () =>
    fc
      .constantFrom('console.css', 'console.js', 'index.html', 'nothing', '..', '%2e%2e%2fpackage.json')
      .map((file) => ({ endpoint: 'getConsoleFile', id: file, version: '' })),
  getDocs: probe('getDocs'),
  getDocsFile: () =>
    fc
      .constantFrom('swagger-ui.css', 'swagger-ui-bundle.js', 'nothing', '..', '%2e%2e%2fpackage.json')
      .map((file) => ({ endpoint: 'getDocsFile', id: file, version: '' })),
  healthz: probe('healthz'),
  readyz: probe('readyz'),
} satisfies Record<EndpointName, Generator>;
