/** Small things that several views show: times, verdicts, links to items. */
import type { ComponentChildren, VNode } from 'preact';
import type { HistoryItem } from '../../../shared/api/history.js';
import { linkTo } from '../address.js';

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const SHORT = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const NUMBER = new Intl.NumberFormat('en');

export const Time = ({ at }: { at: string }): VNode => (
  <time dateTime={at} title={at}>
    {TIME.format(new Date(at))}
  </time>
);
export const shortTime = (at: string): string => SHORT.format(new Date(at));
export const numberOf = (value: number): string => NUMBER.format(value);
export const secondsOf = (ms: number): string => `${NUMBER.format(Math.round(ms / 100) / 10)} s`;
export const percentOf = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(part > 0 && part / whole < 0.1 ? 2 : 1)} %`;

interface VerdictProps {
  flagged: boolean | null;
  notEvaluated?: number;
  /** whether policies could look is not known here; a note beside it may say so */
  alone?: boolean;
}

/** `flagged: null` and policies that could not look are never shown as clean. */
export function Verdict({ flagged, notEvaluated = 0, alone = false }: VerdictProps): VNode {
  if (flagged) return <span class="verdict flagged">flagged</span>;
  if (flagged === null) return <span class="verdict unknown">not evaluated</span>;
  if (notEvaluated > 0) return <span class="verdict unknown">in part not evaluated</span>;
  if (alone) return <span class="verdict">not flagged</span>;
  return <span class="verdict clean">clean</span>;
}

export const Severity = ({ of }: { of: string }): VNode => <span class={`severity ${of}`}>{of}</span>;

/** What an item is, in words. */
export function kindOf(item: HistoryItem): string {
  if (item.internal_session_id) return 'session';
  if (item.internal_artifact_id) return 'image';
  return [item.event_type, item.role ?? item.name].filter(Boolean).join(' · ');
}

export type ItemIds = Pick<
  HistoryItem,
  'internal_event_id' | 'internal_session_id' | 'internal_artifact_id' | 'environment_id' | 'deployment_id'
>;

/** The address of the view of an item. */
export function itemLink(item: ItemIds): string {
  const { internal_event_id: event, internal_session_id: session, internal_artifact_id: image } = item;
  const [kind, id] = event ? ['event', event] : session ? ['session', session] : ['image', image];
  return linkTo('item', { kind, id, scope: item.environment_id ?? item.deployment_id });
}

/** The names of the columns of a table. */
export const Columns = ({ names }: { names: readonly string[] }): VNode => (
  <thead>
    <tr>
      {names.map((name) => (
        <th key={name} scope="col">
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

/** Why something could not be done, in the words of the API; '': nothing is wrong. */
export const Problem = ({ text }: { text: string }): VNode | null =>
  text === '' ? null : (
    <p class="refused" role="alert">
      {text}
    </p>
  );

/** Where something is wider or longer than the screen. It takes the focus, so that it can be scrolled by keyboard. */
export const Scroll = ({ label, children }: { label: string; children: ComponentChildren }): VNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached
  <section class="scroll" tabIndex={0} aria-label={label}>
    {children}
  </section>
);

/** What is known of something, by name. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: VNode | string])[] }): VNode => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
