/** What a view asks of the API: it is asked again when the question changes, and an answer that comes late is not shown for another question. */
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Problem } from './parts/words.js';

export type Asked<T> =
  | { state: 'asking'; before?: T }
  | { state: 'known'; value: T }
  | { state: 'refused'; message: string };

/** `question`: what `ask` depends on, as text. `again`: counts up when the same is to be asked again. */
export function useAsked<T>(question: string, again: number, ask: () => Promise<T>): Asked<T> {
  const [asked, setAsked] = useState<{ question: string; answer: Asked<T> }>({ question, answer: { state: 'asking' } });
  useEffect(() => {
    let left = false;
    const tell = (answer: Asked<T>): void => {
      if (!left) setAsked({ question, answer });
    };
    setAsked((last) => {
      const before = last.question === question && last.answer.state === 'known' ? { before: last.answer.value } : {};
      return { question, answer: { state: 'asking', ...before } };
    });
    ask().then(
      (value) => tell({ state: 'known', value }),
      (error: Error) => tell({ state: 'refused', message: error.message }),
    );
    return () => {
      left = true;
    };
  }, [question, again]);
  return asked.question === question ? asked.answer : { state: 'asking' };
}

/** Shows what is known of an answer. */
export function Answer<T>({ of, children }: { of: Asked<T>; children: (value: T) => ComponentChildren }): VNode {
  const value = of.state === 'known' ? of.value : of.state === 'asking' ? of.before : undefined;
  return (
    <>
      <p class="state" role="status">
        {of.state === 'asking' ? 'Asking …' : ''}
      </p>
      <Problem text={of.state === 'refused' ? of.message : ''} />
      {value !== undefined && children(value)}
    </>
  );
}
