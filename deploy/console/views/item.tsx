/** One item: its verdict by policy, what was found, what people said of it. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Appeal, ItemAppeals } from '../../../shared/api/appeals.js';
import type {
  ArtifactResult,
  EventPolicyResult,
  EventResult,
  ItemLabel,
  PolicyEvidence,
  PolicyResult,
  SessionEnvelope,
} from '../../../shared/api/responses.js';
import { linkTo, type ViewPlace } from '../address.js';
import type { Api } from '../api.js';
import { Answer, useAsked } from '../asked.js';
import { Facts, itemLink, Problem, Severity, Time, Verdict } from '../parts/words.js';
import { conversationLink } from './conversation.js';

type Policies = Record<string, EventPolicyResult | PolicyResult>;

/** What a label is of. */
export interface LabelledItem {
  /** the field of its id in a label */
  field: 'internal_event_id' | 'internal_session_id' | 'internal_artifact_id';
  id: string;
  scope: string;
}

/** What an item is answered, whatever its kind. */
export interface ShownItem extends LabelledItem {
  flagged: boolean | null;
  note?: string | null;
  policies: Policies;
  labels: ItemLabel[];
  facts: [name: string, value: VNode | string][];
  metadata?: unknown;
  images?: ArtifactResult[];
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Looks an item up, with as much as the key may see. Rejects. */
export async function lookUp(api: Api, { kind = '', id = '', scope = '' }: ViewPlace['query']): Promise<ShownItem> {
  const may = (scope: string): boolean => (api.key.scopes as string[]).includes(scope);
  const view = { explain: 'true', matched: may('content') ? 'true' : '', labels: may('review') ? 'true' : '' };
  const own = UUID.test(id);
  if (kind === 'event')
    return eventOf(await api.get(`/api/event/${encodeURIComponent(id)}`, { environment_id: scope, ...view }), scope);
  const where = { deployment_id: scope, ...view };
  if (kind === 'session') {
    const path = own ? `/api/session/${encodeURIComponent(id)}` : '/api/session';
    return sessionOf(await api.get(path, own ? where : { external_session_id: id, ...where }), scope);
  }
  const named = own ? { internal_artifact_id: id } : { external_artifact_id: id };
  return imageOf(await api.get('/api/artifact/get_by_id', { ...named, ...where }), scope);
}

function eventOf({ event, policies, flagged, note, labels = [], metadata }: EventResult, scope: string): ShownItem {
  const { run_id: run, external_session_id: session } = event;
  return {
    field: 'internal_event_id',
    id: event.internal_event_id!,
    scope,
    flagged: event.status === 'failed' && !flagged ? null : flagged,
    note,
    policies,
    labels,
    metadata,
    facts: [
      ['Kind', event.type],
      ['Environment', scope],
      ['Arrived', <Time at={event.created_at!} />],
      ['Run', <a href={linkTo('run', { run, scope })}>{run}</a>],
      ['Event', event.event_id],
      ...(session
        ? [
            [
              'Session',
              <a href={conversationLink(session, { environment_id: scope }, event.created_at!)}>{session}</a>,
            ] as [string, VNode],
          ]
        : []),
    ],
  };
}

function sessionOf({ session, artifacts }: SessionEnvelope, scope: string): ShownItem {
  const { internal_session_id: id, external_session_id: own, flagged, note, policies, labels = [] } = session;
  return {
    field: 'internal_session_id',
    id,
    scope,
    flagged,
    note,
    policies,
    labels,
    images: artifacts,
    facts: [
      ['Kind', 'session'],
      ['Deployment', scope],
      ...(own
        ? [
            ['Conversation', <a href={conversationLink(own, { deployment_id: scope }, timeOf(id))}>{own}</a>] as [
              string,
              VNode,
            ],
          ]
        : []),
    ],
  };
}

/** The time in an id. */
const timeOf = (id: string): string => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString();

function imageOf(image: ArtifactResult, scope: string): ShownItem {
  const { internal_session_id: session, created_at: at } = image;
  return {
    field: 'internal_artifact_id',
    id: image.internal_artifact_id,
    scope,
    flagged: image.flagged,
    note: image.note,
    policies: image.policies,
    labels: image.labels ?? [],
    facts: [
      ['Kind', `image, ${image.status}`],
      ['Deployment', scope],
      ...(at ? [['Arrived', <Time at={at} />] as [string, VNode]] : []),
      ...(session
        ? [
            ['Session', <a href={linkTo('item', { kind: 'session', id: session, scope })}>{session}</a>] as [
              string,
              VNode,
            ],
          ]
        : []),
    ],
  };
}

export function Item({ api, place }: { api: Api; place: ViewPlace }): VNode {
  const [again, setAgain] = useState(0);
  const asked = useAsked(JSON.stringify(place.query), again, () => lookUp(api, place.query));
  return (
    <>
      <h1>One item</h1>
      <Answer of={asked}>
        {(item) => <Shown api={api} item={item} again={again} onLabel={() => setAgain(again + 1)} />}
      </Answer>
    </>
  );
}

interface ShownProps {
  api: Api;
  item: ShownItem;
  /** counts up when a label was given */
  again: number;
  onLabel(): void;
}

function Shown({ api, item, again, onLabel }: ShownProps): VNode {
  const { id, flagged, note, policies, labels, facts, metadata, images = [] } = item;
  return (
    <>
      <p class="row">
        <Verdict flagged={flagged} alone={Boolean(note)} /> <code>{id}</code>
      </p>
      {note && <p class="note">{note}</p>}
      <Facts of={facts} />
      <h2>Policies</h2>
      {Object.keys(policies).length === 0 && <p>No policy has judged it.</p>}
      {Object.entries(policies)
        .sort(([, a], [, b]) => Number(b.flagged) - Number(a.flagged))
        .map(([policy, result]) => (
          <Judged key={policy} api={api} item={item} policy={policy} result={result} onLabel={onLabel} />
        ))}
      {flagged === true && <Appeals api={api} item={item} again={again} />}
      {labels.length > 0 && <Labels api={api} item={item} labels={labels} onLabel={onLabel} />}
      {images.length > 0 && (
        <>
          <h2>Images</h2>
          <ul>
            {images.map((image) => (
              <li key={image.internal_artifact_id}>
                <a href={itemLink({ internal_artifact_id: image.internal_artifact_id, deployment_id: item.scope })}>
                  {image.external_artifact_id ?? image.internal_artifact_id}
                </a>{' '}
                <Verdict flagged={image.flagged} alone={image.note !== null} />
              </li>
            ))}
          </ul>
        </>
      )}
      {metadata !== undefined && metadata !== null && (
        <>
          <h2>Metadata</h2>
          <pre>{JSON.stringify(metadata, undefined, 2)}</pre>
        </>
      )}
    </>
  );
}

const STATES: Record<Appeal['state'], string> = {
  open: 'open',
  stands: 'the verdict stands',
  overturned: 'overturned',
};

/** What users have against the verdict. Where that cannot be asked, the item is shown all the same. */
function Appeals({ api, item, again }: Pick<ShownProps, 'api' | 'item' | 'again'>): VNode | null {
  const { field, id } = item;
  const asked = useAsked(id, again, () => api.get<ItemAppeals>('/api/appeal', { [field]: id, ...placeOf(item) }));
  if (asked.state === 'refused') return <Problem text={asked.message} />;
  const { appeals } = (asked.state === 'known' ? asked.value : asked.before) ?? { appeals: [] };
  if (appeals.length === 0) return null;
  return (
    <section aria-label="Appeals">
      <h2>Appeals</h2>
      <ul>
        {appeals.map(({ policy_id, policy_name, state, note, reference, made_at, decided_by, decided_at }) => (
          <li key={policy_id}>
            <strong>{policy_name}</strong>: {STATES[state]}, made <Time at={made_at} />
            {reference && <>, {reference}</>}
            {decided_at && (
              <>
                , decided by {decided_by}, <Time at={decided_at} />
              </>
            )}
            {note && <blockquote>{note}</blockquote>}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface JudgedProps {
  api: Api;
  item: ShownItem;
  policy: string;
  result: EventPolicyResult | PolicyResult;
  onLabel(): void;
}

function Judged({ api, item, policy, result, onLabel }: JudgedProps): VNode {
  const { name, flagged, severity, evidence = [] } = result;
  const conditions = 'enabled_by_conditions' in result ? (result.enabled_by_conditions ?? []) : [];
  return (
    <section class={flagged ? 'judged flagged' : 'judged'} aria-label={name}>
      <h3>
        {name} {severity && <Severity of={severity} />} <Verdict flagged={flagged} />
      </h3>
      {conditions.length > 0 && <p>Chosen by {conditions.map((condition) => condition.name).join(', ')}.</p>}
      <EvidenceList evidence={evidence} />
      {(api.key.scopes as string[]).includes('review') && (
        <LabelButtons api={api} item={item} policy={policy} flagged={flagged} onLabel={onLabel} />
      )}
    </section>
  );
}

export function EvidenceList({ evidence }: { evidence: readonly PolicyEvidence[] }): VNode | null {
  if (evidence.length === 0) return null;
  return (
    <ul class="evidence">
      {evidence.map(({ detector, view, source, path, start, end, score, matched }, i) => (
        <li key={i}>
          <code>{detector}</code>
          {score !== undefined && <> {score.toFixed(2)}</>}
          {matched !== undefined && <mark>{matched}</mark>}
          <small>
            {source === 'image' ? ' in the image' : ''} {path === undefined ? '' : `at ${path === '' ? '/' : path} `}
            {end > start ? `from ${start} to ${end}` : 'in the whole text'}, {view}
          </small>
        </li>
      ))}
    </ul>
  );
}

interface LabelButtonsProps extends Omit<JudgedProps, 'result'> {
  flagged: boolean;
}

function LabelButtons({ api, item, policy, flagged, onLabel }: LabelButtonsProps): VNode {
  const [problem, setProblem] = useState('');
  const choices = flagged ? (['true_alarm', 'false_alarm'] as const) : (['missed'] as const);
  const send = (label: string): void => {
    sendLabel(api, item, policy, label).then(onLabel, (error: Error) => setProblem(error.message));
  };
  return (
    <div class="row">
      {choices.map((label) => (
        <button key={label} type="button" onClick={() => send(label)}>
          {WORDS[label]}
        </button>
      ))}
      <Problem text={problem} />
    </div>
  );
}

export const WORDS = { true_alarm: 'It was right', false_alarm: 'False alarm', missed: 'It missed this' } as const;

/** Rejects. */
export function sendLabel(api: Api, item: LabelledItem, policy: string, label: string): Promise<unknown> {
  return api.post('/api/label', { [item.field]: item.id, ...placeOf(item), policy, label });
}

const placeOf = ({ field, scope }: LabelledItem): { environment_id: string } | { deployment_id: string } =>
  field === 'internal_event_id' ? { environment_id: scope } : { deployment_id: scope };

interface LabelsProps extends Pick<JudgedProps, 'api' | 'item' | 'onLabel'> {
  labels: readonly ItemLabel[];
}

function Labels({ api, item, labels, onLabel }: LabelsProps): VNode {
  const [problem, setProblem] = useState('');
  const undo = (policy: string): void => {
    sendLabel(api, item, policy, 'withdrawn').then(onLabel, (error: Error) => setProblem(error.message));
  };
  return (
    <>
      <h2>What people said</h2>
      <ul>
        {labels.map(({ policy_id, policy_name, label, reviewer, note, at }) => (
          <li key={`${policy_id} ${reviewer}`}>
            <strong>{WORDS[label]}</strong>: {policy_name}, by {reviewer}, <Time at={at} />{' '}
            {reviewer === api.key.key_id && (
              <button
                type="button"
                aria-label={`Undo: ${WORDS[label]}, ${policy_name}`}
                onClick={() => undo(policy_id)}
              >
                Undo
              </button>
            )}
            {note && <blockquote>{note}</blockquote>}
          </li>
        ))}
      </ul>
      <Problem text={problem} />
    </>
  );
}
