/** Asks on a terminal. */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface Question {
  text: string;
  /** what an empty answer means; absent: nothing */
  fallback?: string;
}

/** The answers, in the order of the questions. Rejects when the input ends, or on Ctrl-C, before the last one. */
export async function ask(
  questions: readonly Question[],
  { input, output }: { input: Readable; output: Writable },
): Promise<string[]> {
  const reader = createInterface({ input, output, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const answers: string[] = [];
  try {
    for (const { text, fallback = '' } of questions) {
      output.write(`${text}${fallback === '' ? '' : ` [${fallback}]`}: `);
      const { done, value } = await lines.next();
      if (done) throw new Error('the input has ended before the last answer; nothing was written');
      answers.push(value.trim() || fallback);
    }
    return answers;
  } finally {
    reader.close();
  }
}
