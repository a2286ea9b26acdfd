/** Items by what they have in common, page by page, or one by its id. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { HistoryItem, HistoryPage } from '../../../shared/api/history.js';
import { linkTo, type ViewPlace } from '../address.js';
import type { Api } from '../api.js';
import { Answer, useAsked } from '../asked.js';
import { askedOf, Choice, Filter } from '../parts/filter.js';
import { Columns, itemLink, kindOf, Scroll, Severity, Time, Verdict } from '../parts/words.js';

export function Find({ api, place }: { api: Api; place: ViewPlace }): VNode {
  const asked = useAsked(JSON.stringify(place.query), 0, () =>
    api.get<HistoryPage>('/api/history', { ...askedOf(place, Date.now()), before: place.query.before, limit: '50' }),
  );
  return (
    <>
      <h1>Find</h1>
      <ById api={api} />
      <Filter api={api} place={place} items />
      <Answer of={asked}>{(page) => <Items {...page} query={place.query} />}</Answer>
    </>
  );
}

const KINDS = [
  ['event', 'event'],
  ['session', 'session'],
  ['image', 'image'],
] as const;

function ById({ api }: { api: Api }): VNode {
  const [kind, setKind] = useState<string>('event');
  const scopes = kind === 'event' ? api.key.environments : api.key.deployments;
  return (
    <form
      class="filter"
      aria-label="By id"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        const id = String(data.get('id')).trim();
        if (id !== '') location.hash = linkTo('item', { kind, id, scope: String(data.get('scope') ?? '') });
      }}
    >
      <Choice label="Kind" value={kind} options={KINDS} onChange={setKind} />
      <label>
        Where
        <select name="scope">
          {scopes.map((scope) => (
            <option key={scope}>{scope}</option>
          ))}
        </select>
      </label>
      <label class="wide">
        Id (internal, or your id of a session or an image)
        <input name="id" maxLength={256} autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}

function Items({ items, next, cut, query }: HistoryPage & { query: ViewPlace['query'] }): VNode {
  return (
    <>
      {cut && (
        <p class="note">
          There was no time to look at all of it. {next ? 'Go on with Older, or ask' : 'Ask'} for a shorter time.
        </p>
      )}
      {items.length === 0 && <p>{next ? 'None on this page.' : 'Nothing was found.'}</p>}
      {items.length > 0 && (
        <Scroll label="Items">
          <table>
            <Columns names={['When', 'What', 'Verdict', 'Violations', 'Where', 'User', 'Run or session']} />
            <tbody>
              {items.map((item) => (
                <Row
                  key={item.internal_event_id ?? item.internal_session_id ?? item.internal_artifact_id}
                  item={item}
                />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <p class="row">
        {query.before && <a href={linkTo('find', { ...query, before: '' })}>Newest</a>}
        {next && <a href={linkTo('find', { ...query, before: next })}>Older</a>}
      </p>
    </>
  );
}

function Row({ item }: { item: HistoryItem }): VNode {
  const { run_id: run, external_session_id: session, user_id: id, user_email: email } = item;
  const user = id ?? email;
  return (
    <tr>
      <th scope="row">
        <a href={itemLink(item)}>
          <Time at={item.created_at} />
        </a>
      </th>
      <td>{kindOf(item)}</td>
      <td>
        <Verdict flagged={item.flagged} notEvaluated={item.not_evaluated} />
        {item.note && <small> {item.note}</small>}
      </td>
      <td>
        {item.violations.map(({ policy_id, policy_name, severity }) => (
          <div key={policy_id}>
            <Severity of={severity} /> {policy_name}
          </div>
        ))}
      </td>
      <td>{item.environment_id ?? item.deployment_id}</td>
      <td>{user && <a href={linkTo('find', { user, span: '30d' })}>{user}</a>}</td>
      <td>
        {run && item.environment_id && <a href={linkTo('run', { run, scope: item.environment_id })}>{run}</a>}{' '}
        {session && <a href={linkTo('find', { external_session_id: session, span: '30d' })}>{session}</a>}
      </td>
    </tr>
  );
}
