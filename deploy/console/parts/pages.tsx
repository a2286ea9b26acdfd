/** What is asked page by page until it is done, or stopped. It can go on from where it is. */
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Refusal } from '../api.js';

/** Where it is: what all pages together have said, and what asks for the next one. */
interface PagesState<Sum> {
  state: 'none' | 'asking' | 'stopped' | 'done';
  sum: Sum | undefined;
  problem: string;
}

/** A page added to all that came before it; `next` absent: it was the last. */
export interface AddedPage<Sum, Cursor> {
  sum: Sum;
  next: Cursor | undefined;
}

type AskPage<Sum, Cursor> = (sum: Sum | undefined, cursor: Cursor | undefined) => Promise<AddedPage<Sum, Cursor>>;

export interface Pages<Sum, Cursor> extends PagesState<Sum> {
  begin(ask: AskPage<Sum, Cursor>): void;
  stop(): void;
  goOn(): void;
}

/** The first page compiles what is edited, and others may be trying: it is asked again so often, after so long. */
const TRIES = 8;
const PAUSE_MS = 500;
const BUSY: readonly number[] = [503, 504];

export function usePages<Sum, Cursor>(): Pages<Sum, Cursor> {
  const [state, setState] = useState<PagesState<Sum>>({ state: 'none', sum: undefined, problem: '' });
  const at = useRef<{ run: number; ask?: AskPage<Sum, Cursor>; sum?: Sum; cursor?: Cursor }>({ run: 0 });
  // A view that is left asks no more.
  useEffect(() => () => void at.current.run++, []);

  async function run(): Promise<void> {
    const { current } = at;
    const number = ++current.run;
    const isCurrent = (): boolean => current.run === number;
    setState({ state: 'asking', sum: current.sum, problem: '' });
    try {
      for (;;) {
        const page = await untilFree(() => current.ask!(current.sum, current.cursor), isCurrent);
        if (!isCurrent()) return;
        current.sum = page.sum;
        if (page.next === undefined) {
          setState({ state: 'done', sum: page.sum, problem: '' });
          return;
        }
        current.cursor = page.next;
        setState({ state: 'asking', sum: page.sum, problem: '' });
      }
    } catch (error) {
      if (!isCurrent()) return;
      const begun = current.cursor !== undefined;
      setState({ state: begun ? 'stopped' : 'none', sum: current.sum, problem: (error as Error).message });
    }
  }

  return {
    ...state,
    begin(ask) {
      at.current = { run: at.current.run, ask };
      void run();
    },
    stop() {
      at.current.run++;
      setState({ state: at.current.cursor === undefined ? 'none' : 'stopped', sum: at.current.sum, problem: '' });
    },
    goOn: () => void run(),
  };
}

async function untilFree<T>(ask: () => Promise<T>, wanted: () => boolean): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refusal) || !BUSY.includes(error.status) || n === TRIES || !wanted()) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

interface ProgressProps<Sum, Cursor> {
  /** what it is about, as *Backtest* */
  name: string;
  pages: Pages<Sum, Cursor>;
  done: number;
  total: number;
  begin(): void;
}

/** How far it is, and buttons that begin it, stop it, and have it go on. */
export function Progress<Sum, Cursor>({ name, pages, done, total, begin }: ProgressProps<Sum, Cursor>): VNode {
  const { state, stop, goOn } = pages;
  const word = { none: '', asking: 'under way', stopped: 'stopped', done: 'done' }[state];
  return (
    <>
      <div class="row">
        <button type="button" onClick={begin} disabled={state === 'asking'}>
          {name}
        </button>
        {state === 'asking' && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
        {state === 'stopped' && (
          <button type="button" onClick={goOn}>
            Go on
          </button>
        )}
      </div>
      {state !== 'none' && (
        <p class="row">
          <progress
            aria-label={`${name}: how far it is`}
            max={Math.max(1, total)}
            value={Math.min(done, Math.max(1, total))}
          />
          <span role="status">
            {done} of {total}, {word}
          </span>
        </p>
      )}
    </>
  );
}
