/** Users by risk, and why. */
import type { VNode } from 'preact';
import type { RiskyUsers } from '../../../shared/api/history.js';
import { goTo, linkTo, type ViewPlace } from '../address.js';
import type { Api } from '../api.js';
import { Answer, useAsked } from '../asked.js';
import { Choice, spanOf } from '../parts/filter.js';
import { Columns, numberOf, Scroll, Time } from '../parts/words.js';

export function Risk({ api, place }: { api: Api; place: ViewPlace }): VNode {
  const { level = '' } = place.query;
  const asked = useAsked(level, 0, () => api.get<RiskyUsers>('/api/users', { level, limit: '100' }));
  return (
    <>
      <h1>Users by risk</h1>
      <div class="row">
        <Choice
          label="Level"
          value={level}
          options={[
            ['', 'any'],
            ['elevated', 'elevated or severe'],
            ['severe', 'severe'],
          ]}
          onChange={(chosen) => goTo('risk', { level: chosen })}
        />
      </div>
      <Answer of={asked}>{(answer) => <Users {...answer} />}</Answer>
    </>
  );
}

function Users({ window_days: days, users }: RiskyUsers): VNode {
  if (users.length === 0) return <p>No such user was flagged in the last {days} days.</p>;
  return (
    <Scroll label="Users">
      <table>
        <caption>Session checks of the last {days} days</caption>
        <Columns names={['User', 'Level', 'Score', 'Flagged', 'Why', 'Last']} />
        <tbody>
          {users.map(({ id, email, risk_level: level, score, checks, flagged, violations, last_flagged_at: last }) => (
            <tr key={id ?? email}>
              <th scope="row">
                <a href={linkTo('find', { user: id ?? email, span: spanOf(days), verdict: 'flagged' })}>
                  {id ?? email}
                </a>
              </th>
              <td>
                <span class={`level ${level}`}>{level}</span>
              </td>
              <td>{numberOf(score)}</td>
              <td>
                {numberOf(flagged)} of {numberOf(checks)}
              </td>
              <td>{violations.map((one) => `${one.policy_name ?? one.policy_id} (${one.checks})`).join(', ')}</td>
              <td>
                <Time at={last} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
