/** The audit log: who did what, when and from where, page by page. Operators see it of all teams. */
import type { VNode } from 'preact';
import type { AuditAction, AuditEntry, AuditPage } from '../../../shared/api/audit.js';
import { goTo, linkTo, type ViewPlace } from '../address.js';
import type { Api, ApiQuery } from '../api.js';
import { Answer, useAsked } from '../asked.js';
import { askedOf, Choice, TextField, TimeChoice } from '../parts/filter.js';
import { Columns, Scroll, Time } from '../parts/words.js';

const ACTIONS: Readonly<Record<AuditAction, string>> = {
  'configuration.applied': 'applied a configuration',
  'configuration.rolled_back': 'went back to an earlier configuration',
  'key.added': 'added a key',
  'key.changed': 'changed a key',
  'key.removed': 'removed a key',
  'key.expired': 'a key has expired',
  'content.read': 'read content',
  'label.set': 'labelled a verdict',
  'label.withdrawn': 'took a label back',
  'appeal.made': 'made an appeal',
  'erasure.requested': 'asked for an erasure',
  'export.begun': 'began an export',
  'replay.requested': 'replayed what was given up',
  'policies.tried': 'tried policies',
  'login.begun': 'signed in',
  'login.refused': 'was refused a sign-in',
  'login.ended': 'signed out',
};

const isOfAll = ({ key }: Api): boolean => (key.scopes as string[]).includes('operate');

export function Audit({ api, place }: { api: Api; place: ViewPlace }): VNode {
  const path = isOfAll(api) ? '/api/operation/audit' : '/api/audit';
  const asked = useAsked(JSON.stringify(place.query), 0, () =>
    api.get<AuditPage>(path, { ...askedOf(place, Date.now()), before: place.query.before, limit: '50' }),
  );
  return (
    <>
      <h1>Audit log</h1>
      <AuditFilter place={place} ofAll={isOfAll(api)} />
      <Answer of={asked}>{(page) => <Entries api={api} page={page} query={place.query} />}</Answer>
    </>
  );
}

/** Texts are taken when the form is sent. */
const TEXTS = [
  ['actor', 'Who (key, person, user@host)'],
  ['subject', 'To what (an id, a name)'],
] as const;
const TEAM = ['team', 'Team'] as const;

function AuditFilter({ place, ofAll }: { place: ViewPlace; ofAll: boolean }): VNode {
  const { query } = place;
  const texts = ofAll ? [...TEXTS, TEAM] : TEXTS;
  const set = (change: ApiQuery): void => goTo(place.view, { ...query, before: '', ...change });
  return (
    <form
      class="filter"
      aria-label="Filter"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        set(Object.fromEntries(texts.map(([name]) => [name, String(data.get(name) ?? '').trim()])));
      }}
    >
      <TimeChoice query={query} onChange={set} />
      <Choice
        label="Action"
        value={query.action ?? ''}
        options={[['', 'anything'], ...Object.entries(ACTIONS)]}
        onChange={(action) => set({ action })}
      />
      {texts.map(([name, label]) => (
        <TextField key={name} name={name} label={label} value={query[name] ?? ''} />
      ))}
      <button type="submit">Apply</button>
    </form>
  );
}

function Entries({
  api,
  page: { entries, next },
  query,
}: {
  api: Api;
  page: AuditPage;
  query: ViewPlace['query'];
}): VNode {
  const withTeam = isOfAll(api);
  return (
    <>
      {entries.length === 0 && <p>Nothing was done then that the log tells of.</p>}
      {entries.length > 0 && (
        <Scroll label="Entries">
          <table>
            <Columns names={['When', 'Who', 'What', 'To what', ...(withTeam ? ['Team'] : []), 'From where']} />
            <tbody>
              {entries.map((entry) => (
                <Entry key={entry.audit_id} api={api} entry={entry} query={query} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <p class="row">
        {query.before && <a href={linkTo('audit', { ...query, before: '' })}>Newest</a>}
        {next && <a href={linkTo('audit', { ...query, before: next })}>Older</a>}
      </p>
    </>
  );
}

interface EntryProps {
  api: Api;
  entry: AuditEntry;
  query: ViewPlace['query'];
}

function Entry({ api, entry, query }: EntryProps): VNode {
  const { at, actor_kind: kind, actor, action, team, address, request_id: request } = entry;
  const only = (change: ApiQuery): string => linkTo('audit', { ...query, before: '', ...change });
  return (
    <tr>
      <th scope="row">
        <Time at={at} />
      </th>
      <td>
        {actor === '' ? 'Weir' : <a href={only({ actor })}>{actor}</a>} <small>{actor === '' ? '' : kind}</small>
      </td>
      <td>
        {ACTIONS[action] ?? action}
        <Details entry={entry} />
      </td>
      <td>
        <Subject api={api} entry={entry} href={only({ subject: entry.subject })} />
      </td>
      {isOfAll(api) && <td>{team ? <a href={only({ team })}>{team}</a> : 'the installation'}</td>}
      <td>
        {address} {request && <small>request {request}</small>}
      </td>
    </tr>
  );
}

/** What is said beside the act. */
function Details({ entry }: { entry: AuditEntry }): VNode | null {
  const { changed = [], policy_id: policy, label, message, rolled_back_to: earlier } = entry;
  const said = [
    ...(label ? [label.replaceAll('_', ' ')] : []),
    ...(policy ? [`policy ${policy}`] : []),
    ...(changed.length > 0 ? [changed.join(', ')] : []),
    ...(earlier === undefined ? [] : [`that of version ${earlier}`]),
    ...(message ? [message] : []),
  ];
  return said.length === 0 ? null : <small> {said.join(' · ')}</small>;
}

const VIEWED: Readonly<Record<string, string>> = { event: 'event', session: 'session', artifact: 'image' };

/** A subject leads to all that was done to it, and an item to itself. */
function Subject({ api, entry, href }: { api: Api; entry: AuditEntry; href: string }): VNode {
  const { subject_kind: kind, subject, scope } = entry;
  const viewed = VIEWED[kind];
  const mayLook = viewed !== undefined && scope !== undefined && (api.key.scopes as string[]).includes('read');
  return (
    <>
      {kind.replaceAll('_', ' ')} <a href={href}>{subject}</a>
      {scope && <small> in {scope}</small>}{' '}
      {mayLook && <a href={linkTo('item', { kind: viewed, id: subject, scope })}>Show</a>}
    </>
  );
}
