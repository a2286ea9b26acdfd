/** Requests that were given up, and those whose rows ClickHouse refuses: page by page, each with a button that has it tried again. */
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  DeadLetterPage,
  DeadLetterSummary,
  RefusedPage,
  RefusedSummary,
  ReplayRequest,
  ReplayResult,
} from '../../../shared/api/operation.js';
import { linkTo, type ViewPlace } from '../address.js';
import type { Api } from '../api.js';
import { Answer, useAsked } from '../asked.js';
import { Confirm } from '../parts/confirm.js';
import { Columns, numberOf, Scroll, Time } from '../parts/words.js';

const LIMIT = '50';

/** What is replayed, and what that does. */
interface Replay {
  request: ReplayRequest;
  /** such as "dead letter 0/1-0" */
  what: string;
  does: string;
}

interface GivenUpProps {
  api: Api;
  place: ViewPlace;
  again: number;
  askAgain(): void;
}

export function GivenUp({ api, place, again, askAgain }: GivenUpProps): VNode {
  const [asking, setAsking] = useState<Replay>();
  const [said, setSaid] = useState<{ text: string; failed: boolean }>();
  const outcome = useRef<HTMLParagraphElement>(null);
  const replay = ({ request, what }: Replay): void => {
    const tell = (text: string, failed = false): void => {
      setSaid({ text, failed });
      // Also where it is not known whether it was replayed, the lists tell.
      askAgain();
    };
    api.post<ReplayResult>('/api/operation/replay', request).then(
      (result) => tell(doneText(what, result)),
      (error: Error) => tell(`${what}: ${error.message}`, true),
    );
  };
  // The button that was pressed goes with its row.
  useEffect(() => outcome.current?.focus(), [said]);
  return (
    <>
      {said && (
        <p ref={outcome} tabIndex={-1} class={said.failed ? 'refused' : 'note'} role={said.failed ? 'alert' : 'status'}>
          {said.text}
        </p>
      )}
      <DeadLetters api={api} place={place} again={again} onReplay={setAsking} />
      <RefusedRows api={api} place={place} again={again} onReplay={setAsking} />
      {asking && (
        <Confirm
          title={`Replay ${asking.what}?`}
          does="Replay"
          onYes={() => replay(asking)}
          onClose={() => setAsking(undefined)}
        >
          <p>{asking.does} Remove the cause first: what fails again is back in the list, under another id.</p>
        </Confirm>
      )}
    </>
  );
}

function doneText(what: string, { replayed, left }: ReplayResult): string {
  if (left === undefined) return `Replayed ${what}.`;
  return `Replayed the rows of ${numberOf(replayed)} requests. ${left === 0 ? 'None is left.' : `${numberOf(left)} are left.`}`;
}

interface ListProps extends Omit<GivenUpProps, 'askAgain'> {
  onReplay(replay: Replay): void;
}

function DeadLetters({ api, place, again, onReplay }: ListProps): VNode {
  const { dead: after } = place.query;
  const asked = useAsked(after ?? '', again, () =>
    api.get<DeadLetterPage>('/api/operation/dead-letters', { after, limit: LIMIT }),
  );
  return (
    <>
      <h2>Dead letters</h2>
      <Answer of={asked}>
        {({ dead_letters: letters, next }) => (
          <Entries
            label="Dead letters"
            none="Nothing was given up."
            columns={['Given up', 'Replay', 'Reason', 'Attempts', 'Request', 'Team', 'Body']}
            rows={letters.map((letter) => <Letter key={letter.dead_letter} letter={letter} onReplay={onReplay} />)}
          >
            <Pages place={place} name="dead" first="Newest" more="Older" next={next} />
          </Entries>
        )}
      </Answer>
    </>
  );
}

function Letter({ letter, onReplay }: { letter: DeadLetterSummary; onReplay: ListProps['onReplay'] }): VNode {
  const { dead_letter: place, given_up_at: at, reason, attempts, kind, request_id: id, obstacle } = letter;
  return (
    <tr>
      <th scope="row">
        <Time at={at} />
      </th>
      <td>
        {obstacle === null ? (
          <ReplayButton
            replay={{
              request: { dead_letter: place },
              what: `dead letter ${place}`,
              does: 'The request is evaluated again, and the new result replaces the failure. No caller waits for it any more.',
            }}
            onReplay={onReplay}
          />
        ) : (
          <small>Cannot be replayed: {obstacle}</small>
        )}
      </td>
      <td>{reason}</td>
      <td>{numberOf(attempts)}</td>
      <td>
        {kind} <code>{id}</code>
        {letter.received_at && (
          <small>
            {' '}
            of <Time at={letter.received_at} />
          </small>
        )}
      </td>
      <td>
        {letter.team} {letter.scope && <small>{letter.scope}</small>}
      </td>
      <td>{numberOf(letter.body_bytes)} bytes</td>
    </tr>
  );
}

const ReplayButton = ({ replay, onReplay }: { replay: Replay; onReplay: ListProps['onReplay'] }): VNode => (
  <button type="button" aria-label={`Replay ${replay.what}`} onClick={() => onReplay(replay)}>
    Replay
  </button>
);

function RefusedRows({ api, place, again, onReplay }: ListProps): VNode {
  const { refused: after } = place.query;
  const asked = useAsked(after ?? '', again, () =>
    api.get<RefusedPage>('/api/operation/refused', { after, limit: LIMIT }),
  );
  return (
    <>
      <h2>Rows that ClickHouse refuses</h2>
      <Answer of={asked}>
        {({ refused, next }) => (
          <Entries
            label="Refused rows"
            none="No rows are refused."
            columns={['Finished', 'Replay', 'Reason', 'Request', 'Rows']}
            rows={refused.map((one) => <Refused key={one.refused} one={one} onReplay={onReplay} />)}
          >
            <Pages place={place} name="refused" first="Oldest" more="Newer" next={next} />
            {refused.length > 0 && (
              <button
                type="button"
                onClick={() =>
                  onReplay({
                    request: { refused: 'all' },
                    what: 'all refused rows',
                    does: 'Rows of up to 100 requests are archived again, the oldest first.',
                  })
                }
              >
                Replay all
              </button>
            )}
          </Entries>
        )}
      </Answer>
    </>
  );
}

function Refused({ one, onReplay }: { one: RefusedSummary; onReplay: ListProps['onReplay'] }): VNode {
  const { refused: place, finished_at: at, reason, request_id: id, row_bytes: bytes } = one;
  return (
    <tr>
      <th scope="row">
        <Time at={at} />
      </th>
      <td>
        <ReplayButton
          replay={{
            request: { refused: place },
            what: `refused rows ${place}`,
            does: 'The rows of the request are archived again.',
          }}
          onReplay={onReplay}
        />
      </td>
      <td>{reason}</td>
      <td>
        <code>{id}</code>
      </td>
      <td>{numberOf(bytes)} bytes</td>
    </tr>
  );
}

interface EntriesProps {
  label: string;
  none: string;
  columns: readonly string[];
  rows: readonly VNode[];
  /** below the list */
  children: ComponentChildren;
}

const Entries = ({ label, none, columns, rows, children }: EntriesProps): VNode => (
  <>
    {rows.length === 0 ? (
      <p>{none}</p>
    ) : (
      <Scroll label={label}>
        <table>
          <Columns names={columns} />
          <tbody>{rows}</tbody>
        </table>
      </Scroll>
    )}
    <div class="row">{children}</div>
  </>
);

interface PagesProps {
  place: ViewPlace;
  /** in the address */
  name: string;
  first: string;
  more: string;
  next: string | undefined;
}

const Pages = ({ place: { view, query }, name, first, more, next }: PagesProps): VNode => (
  <>
    {query[name] && <a href={linkTo(view, { ...query, [name]: '' })}>{first}</a>}
    {next && <a href={linkTo(view, { ...query, [name]: next })}>{more}</a>}
  </>
);
