/** What is shown can be asked again: by a button, and every ten seconds for as long as somebody looks. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const LIVE_MS = 10_000;

export interface Repeat {
  /** counts the questions */
  again: number;
  askAgain(): void;
  live: boolean;
  setLive(live: boolean): void;
}

export function useRepeat(): Repeat {
  const [again, setAgain] = useState(0);
  const [live, setLive] = useState(false);
  const askAgain = (): void => setAgain((count) => count + 1);
  useEffect(() => {
    if (!live) return undefined;
    const timer = setInterval(() => {
      // A page that nobody looks at asks nothing.
      if (!document.hidden) askAgain();
    }, LIVE_MS);
    return () => clearInterval(timer);
  }, [live]);
  return { again, askAgain, live, setLive };
}

export const AskAgain = ({ by: { live, setLive, askAgain } }: { by: Repeat }): VNode => (
  <>
    <button type="button" onClick={askAgain}>
      Ask again
    </button>
    <label class="tick">
      <input type="checkbox" checked={live} onChange={(event) => setLive(event.currentTarget.checked)} />
      Ask again every 10 seconds
    </label>
  </>
);
