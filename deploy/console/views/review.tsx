/** What to judge first, one verdict after the other, by keyboard alone. What was found is hidden until it is asked for. */
import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { LabelQueue, QueuedAppeal, QueuedLabel } from '../../../shared/api/responses.js';
import type { Api } from '../api.js';
import { Answer, useAsked } from '../asked.js';
import { itemLink, Problem, Severity, Time } from '../parts/words.js';
import { EvidenceList, type LabelledItem, lookUp, sendLabel, WORDS } from './item.js';

const REASONS = {
  appeal: 'an appeal',
  uncertain: 'near the threshold',
  new_rule: 'a new rule',
  many_of_user: 'many of this user',
} as const;

export function Review({ api }: { api: Api }): VNode {
  const [again, setAgain] = useState(0);
  const asked = useAsked('queue', again, () => api.get<LabelQueue>('/api/label/queue', { days: '30', limit: '50' }));
  return (
    <>
      <h1>Review</h1>
      <Answer of={asked}>
        {({ verdicts }) => <Queue key={again} api={api} verdicts={verdicts} onEnd={() => setAgain(again + 1)} />}
      </Answer>
    </>
  );
}

function Queue({ api, verdicts, onEnd }: { api: Api; verdicts: readonly QueuedLabel[]; onEnd(): void }): VNode {
  const [at, setAt] = useState(0);
  const [shown, setShown] = useState(false);
  const [problem, setProblem] = useState('');
  /** what was judged last, as long as it can be taken back */
  const [last, setLast] = useState<{ at: number; label: JudgedAs }>();
  // What is pressed before the next verdict is on the screen is for none.
  const busy = useRef(false);
  const verdict = verdicts[at];
  const show = (one: number): void => {
    busy.current = true;
    setAt(one);
    setShown(false);
    setProblem('');
  };
  const next = (): void => show(at + 1);
  const send = (one: QueuedLabel | undefined, label: JudgedAs | 'withdrawn', done: () => void): void => {
    if (!one || busy.current) return;
    busy.current = true;
    sendLabel(api, labelledOf(one), one.policy_id, label).then(done, (error: Error) => {
      busy.current = false;
      setProblem(error.message);
    });
  };
  const judge = (label: JudgedAs): void =>
    send(verdict, label, () => {
      setLast({ at, label });
      next();
    });
  const undo = (): void =>
    send(last && verdicts[last.at], 'withdrawn', () => {
      show(last!.at);
      setLast(undefined);
    });
  useLayoutEffect(() => {
    busy.current = false;
  }, [at]);
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        (event.target as HTMLElement).closest('input,select,textarea')
      )
        return;
      const judging = { t: () => judge('true_alarm'), f: () => judge('false_alarm'), n: next, s: () => setShown(true) };
      const does = { ...(verdict ? judging : {}), ...(last ? { u: undo } : {}) }[event.key];
      if (does && !busy.current) {
        event.preventDefault();
        does();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  const said = last && <Said verdict={verdicts[last.at]!} label={last.label} onUndo={undo} />;
  if (!verdict)
    return (
      <>
        <p role="status">{at === 0 ? 'Nothing waits for a label.' : `That were ${at}.`}</p>
        {said}
        <Problem text={problem} />
        <button type="button" onClick={onEnd}>
          Look again
        </button>
      </>
    );
  return (
    <section class="judged flagged" aria-label="Verdict to judge">
      <p aria-live="polite">
        {at + 1} of {verdicts.length}: <strong>{verdict.policy_name}</strong> <Severity of={verdict.severity} />{' '}
        {verdict.score !== undefined && <>score {verdict.score.toFixed(2)} </>}
        <small>{verdict.reasons.map((reason) => REASONS[reason]).join(', ')}</small>
      </p>
      <p>
        <a href={itemLink(verdict)}>{idOf(verdict)}</a>, <Time at={verdict.created_at} />
      </p>
      {verdict.appeal && <AppealSaid appeal={verdict.appeal} />}
      {shown ? (
        <Found api={api} verdict={verdict} />
      ) : (
        <button type="button" aria-keyshortcuts="s" onClick={() => setShown(true)}>
          Show what was found <kbd>s</kbd>
        </button>
      )}
      <p class="row">
        <button type="button" aria-keyshortcuts="t" onClick={() => judge('true_alarm')}>
          It was right <kbd>t</kbd>
        </button>
        <button type="button" aria-keyshortcuts="f" onClick={() => judge('false_alarm')}>
          False alarm <kbd>f</kbd>
        </button>
        <button type="button" aria-keyshortcuts="n" onClick={next}>
          Skip <kbd>n</kbd>
        </button>
      </p>
      <Problem text={problem} />
      {said}
    </section>
  );
}

/** What the user has against the verdict. */
const AppealSaid = ({ appeal: { note, reference, made_at } }: { appeal: QueuedAppeal }): VNode => (
  <div class="note">
    <p>
      The user appeals, <Time at={made_at} />
      {reference && <>, {reference}</>}
      {note ? ':' : ', without a note.'}
    </p>
    {note && <blockquote>{note}</blockquote>}
  </div>
);

type JudgedAs = 'true_alarm' | 'false_alarm';

interface SaidProps {
  verdict: QueuedLabel;
  label: JudgedAs;
  onUndo(): void;
}

/** What was said of the verdict before, with a way back. */
const Said = ({ verdict, label, onUndo }: SaidProps): VNode => (
  <p class="row" role="status">
    <small>
      You said of <a href={itemLink(verdict)}>the one before</a> ({verdict.policy_name}): {WORDS[label].toLowerCase()}.
    </small>
    <button type="button" aria-keyshortcuts="u" onClick={onUndo}>
      Undo <kbd>u</kbd>
    </button>
  </p>
);

const fieldOf = (verdict: QueuedLabel) =>
  verdict.internal_event_id
    ? 'internal_event_id'
    : verdict.internal_session_id
      ? 'internal_session_id'
      : 'internal_artifact_id';
const labelledOf = (verdict: QueuedLabel): LabelledItem => ({
  field: fieldOf(verdict),
  id: idOf(verdict),
  scope: scopeIn(verdict),
});
const idOf = (verdict: QueuedLabel): string => verdict[fieldOf(verdict)]!;
const scopeIn = (verdict: QueuedLabel): string => (verdict.environment_id ?? verdict.deployment_id)!;
const KIND = { internal_event_id: 'event', internal_session_id: 'session', internal_artifact_id: 'image' } as const;

function Found({ api, verdict }: { api: Api; verdict: QueuedLabel }): VNode {
  const query = { kind: KIND[fieldOf(verdict)], id: idOf(verdict), scope: scopeIn(verdict) };
  const asked = useAsked(query.id, 0, () => lookUp(api, query));
  return (
    <Answer of={asked}>
      {({ policies }) => {
        const evidence = policies[verdict.policy_id]?.evidence ?? [];
        return evidence.length > 0 ? <EvidenceList evidence={evidence} /> : <p>It has no evidence in one place.</p>;
      }}
    </Answer>
  );
}
