/** Tries a text, a chat, an event or an image against a scope, also by policies and conditions that are edited here. Nothing of it is stored. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { TryResult } from '../../../shared/api/try.js';
import type { Api } from '../api.js';
import { type EditedDraft, editedIn, jsonIn } from '../parts/edits.js';
import { Choice } from '../parts/filter.js';
import { Problem } from '../parts/words.js';
import { Backtest } from './backtest.js';
import { Cases } from './cases.js';
import { Tried } from './tried.js';

const KINDS = [
  ['text', 'Text'],
  ['chat', 'Chat, as JSON'],
  ['event', 'Event, as JSON'],
  ['image', 'Image'],
] as const;
type Kind = (typeof KINDS)[number][0];

const ROLES = [
  ['user', 'user (input)'],
  ['assistant', 'assistant (output)'],
] as const;

const SAMPLES: Readonly<Record<Kind, string>> = {
  text: '',
  image: '',
  chat: JSON.stringify([{ role: 'user', content: 'Hello.' }], undefined, 2),
  event: JSON.stringify({ type: 'tool', name: 'search', output: { hits: ['Hello.'] } }, undefined, 2),
};

const NEW_POLICY = { name: 'New', severity: 'medium', detect: { terms: { list: ['word'] } } };
const NEW_CONDITION = { id: 'new', name: 'New', when: 'metadata.user.tier == "free"', policies: [] };

/** In base64, a larger one does not fit into what is sent at most. */
const MOST_IMAGE_BYTES = 190_000;

interface Draft extends EditedDraft {
  kind: Kind;
  role: string;
  text: string;
  file: File | undefined;
}

type Outcome =
  | { state: 'none' | 'asking' }
  | { state: 'refused'; message: string }
  | { state: 'known'; result: TryResult; content: unknown };

export function Try({ api }: { api: Api }): VNode {
  const scopes = scopesFor('text', api);
  const [draft, setDraft] = useState<Draft>({
    kind: 'text',
    where: scopes[0]?.[0] ?? '',
    role: 'user',
    text: '',
    file: undefined,
    policies: '',
    conditions: '',
  });
  const [outcome, setOutcome] = useState<Outcome>({ state: 'none' });
  const change = (some: Partial<Draft>): void => setDraft((last) => ({ ...last, ...some }));
  const send = (): void => {
    if (outcome.state === 'asking') return;
    setOutcome({ state: 'asking' });
    tryOut(api, draft).then(
      (known) => setOutcome({ state: 'known', ...known }),
      (error: Error) => setOutcome({ state: 'refused', message: error.message }),
    );
  };
  return (
    <>
      <h1>Try</h1>
      <form
        aria-label="What to try"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          send();
        }}
      >
        <What api={api} draft={draft} change={change} />
        <Edited api={api} draft={draft} change={change} />
        <p class="row">
          <button type="submit">Try</button>{' '}
          <small>
            or <kbd>Ctrl</kbd> <kbd>Enter</kbd>. Nothing of it is stored.
          </small>
        </p>
      </form>
      <p class="state" role="status">
        {outcome.state === 'asking' ? 'Trying …' : ''}
      </p>
      <Problem text={outcome.state === 'refused' ? outcome.message : ''} />
      {outcome.state === 'known' && <Tried result={outcome.result} content={outcome.content} />}
      {(api.key.scopes as string[]).includes('content') && <Backtest api={api} draft={draft} />}
      <Cases api={api} draft={draft} />
    </>
  );
}

interface DraftProps {
  api: Api;
  draft: Draft;
  change(some: Partial<Draft>): void;
}

/** Where a kind may be tried. */
function scopesFor(kind: Kind, { key }: Api): [value: string, name: string][] {
  const of = (what: 'deployment' | 'environment', ids: readonly string[]): [string, string][] =>
    ids.map((id) => [`${what}:${id}`, `${what} ${id}`]);
  return [
    ...(kind === 'event' ? [] : of('deployment', key.deployments)),
    ...(kind === 'text' || kind === 'event' ? of('environment', key.environments) : []),
  ];
}

function What({ api, draft, change }: DraftProps): VNode {
  const { kind, where, role, text } = draft;
  const scopes = scopesFor(kind, api);
  const choose = (next: string): void => {
    const chosen = next as Kind;
    const there = scopesFor(chosen, api);
    change({
      kind: chosen,
      where: there.some(([value]) => value === where) ? where : (there[0]?.[0] ?? ''),
      text: Object.values(SAMPLES).includes(text) ? SAMPLES[chosen] : text,
    });
  };
  return (
    <>
      <div class="row">
        <Choice label="Kind" value={kind} options={KINDS} onChange={choose} />
        <Choice label="Where" value={where} options={scopes} onChange={(next) => change({ where: next })} />
        {(kind === 'text' || kind === 'image') && (
          <Choice label="Role" value={role} options={ROLES} onChange={(next) => change({ role: next })} />
        )}
      </div>
      {kind === 'image' ? (
        <label class="block">
          Image (at most {Math.floor(MOST_IMAGE_BYTES / 1000)} KB)
          <input
            type="file"
            accept="image/png,image/jpeg,image/webp,image/gif"
            onChange={(event) => change({ file: event.currentTarget.files?.[0] })}
          />
        </label>
      ) : (
        <label class="block">
          {kind === 'text' ? 'Text' : kind === 'chat' ? 'Messages, a JSON list' : 'Event, a JSON object'}
          <textarea
            rows={kind === 'text' ? 5 : 9}
            value={text}
            spellcheck={false}
            class={kind === 'text' ? '' : 'code'}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
        </label>
      )}
    </>
  );
}

/** Policies and conditions that are edited, in JSON. What has an id or a name of the version takes its place, and needs only the fields that change. */
function Edited({ api, draft, change }: DraftProps): VNode {
  const { policies } = api.key;
  const [chosen, setChosen] = useState('');
  const add = (to: 'policies' | 'conditions', item: object): void => {
    const list = listIn(draft[to]);
    if (list) change({ [to]: JSON.stringify([...list, item], undefined, 2) });
  };
  const options = [
    ['', 'a new one'] as const,
    ...policies.map(({ policy_id, policy_name }) => [policy_id, policy_name] as const),
  ];
  const addPolicy = (): void => {
    const known = policies.find(({ policy_id }) => policy_id === chosen);
    add(
      'policies',
      known ? { id: known.policy_id, name: known.policy_name, severity: known.severity, mode: known.mode } : NEW_POLICY,
    );
  };
  return (
    <details>
      <summary>Edit policies and conditions</summary>
      <p>
        As the configuration has them, in JSON. A policy with the id or name of one of yours takes its place, and keeps
        what you leave out.
      </p>
      <div class="row">
        <Choice label="Policy" value={chosen} options={options} onChange={setChosen} />
        <button type="button" onClick={addPolicy} disabled={!listIn(draft.policies)}>
          Add it to edit
        </button>
      </div>
      <label class="block">
        Policies, a JSON list
        <textarea
          rows={8}
          class="code"
          value={draft.policies}
          spellcheck={false}
          onInput={(event) => change({ policies: event.currentTarget.value })}
        />
      </label>
      {draft.where.startsWith('environment:') && (
        <>
          <label class="block">
            Conditions, a JSON list, in place of those of the environment
            <textarea
              rows={6}
              class="code"
              value={draft.conditions}
              spellcheck={false}
              onInput={(event) => change({ conditions: event.currentTarget.value })}
            />
          </label>
          <div class="row">
            <button type="button" onClick={() => add('conditions', NEW_CONDITION)} disabled={!listIn(draft.conditions)}>
              Add a condition
            </button>
          </div>
        </>
      )}
    </details>
  );
}

/** The list that a text is; empty where there is none; undefined where it is none. */
function listIn(text: string): unknown[] | undefined {
  if (text.trim() === '') return [];
  try {
    const value = JSON.parse(text) as unknown;
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects, in words. */
async function tryOut(api: Api, draft: Draft): Promise<{ result: TryResult; content: unknown }> {
  const { kind, where, role } = draft;
  const edited = editedIn(draft);
  const { request, content } = await requestOf(draft, { kind, role, isEvent: where.startsWith('environment:') });
  const body = { ...edited, ...request };
  return { result: await api.post<TryResult>('/api/try', body), content };
}

interface Asking {
  kind: Kind;
  role: string;
  isEvent: boolean;
}

/** What is sent, and what paths of evidence lead into. */
async function requestOf(
  { text, file }: Draft,
  { kind, role, isEvent }: Asking,
): Promise<{ request: object; content: unknown }> {
  if (kind === 'image') {
    if (!file) throw new Error('Choose an image.');
    if (file.size > MOST_IMAGE_BYTES)
      throw new Error(`The image has ${file.size} bytes; at most ${MOST_IMAGE_BYTES} can be tried.`);
    return { request: { role, content: { kind: 'image', data: await dataOf(file) } }, content: undefined };
  }
  if (kind === 'text') {
    const message = { role, content: text };
    return { request: isEvent ? { event: { type: 'message', ...message } } : { messages: [message] }, content: text };
  }
  if (kind === 'chat') {
    const messages = jsonIn('Messages', text);
    const last = Array.isArray(messages) ? (messages.at(-1) as { content?: unknown } | undefined) : undefined;
    return { request: { messages }, content: typeof last?.content === 'string' ? last.content : last };
  }
  const event = jsonIn('Event', text) as Record<string, unknown>;
  const field = FIELDS.find((name) => event?.[name] !== undefined && event[name] !== null);
  return { request: { event }, content: field && event[field] };
}

/** Fields of events that are checked. */
const FIELDS = ['content', 'arguments', 'output', 'definition', 'input', 'instructions', 'state'];

/** The image as a data URI. */
function dataOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error('The image cannot be read.'));
    reader.readAsDataURL(file);
  });
}
