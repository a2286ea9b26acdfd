/** The parts of a source, each a stream at the service, and what a chunk needs of them. */

import type { StreamResult } from '../../api/types.js';
import type { ClientError } from '../errors.js';
import { createPart, type GuardedPart, type PartSettings } from './part.js';
import type { ChunkTexts } from './reading.js';

/** Parts of one source at most. */
const MOST_PARTS = 10_000;

/** A text that a chunk waits for: up to a unit of a part or, without, to its end. */
export interface TextNeed {
  part: GuardedPart;
  upTo: number | undefined;
}

export interface GuardedParts {
  /** Takes the texts of a chunk. Throws a RangeError where there are too many parts. */
  take(reading: ChunkTexts): TextNeed[];
  /** The source has ended, and so has every part. */
  endAll(): void;
  /** Sends what there is to send. */
  send(): void;
  /** whether a verdict is to come */
  areOpen(): boolean;
  areSending(): boolean;
  /** units that are not sent yet */
  unsent(): number;
  /** the newest answer of each part */
  answers(): StreamResult[];
  close(): Promise<void>;
}

/** `name` begins the names of the streams at the service. */
export function createParts(
  name: string,
  settings: Omit<PartSettings, 'onAnswer'> & {
    onAnswer(answer: StreamResult): void;
    onError(error: ClientError): void;
  },
): GuardedParts {
  /** by name of the part; one that goes on after its end is another stream */
  const byName = new Map<string, GuardedPart>();
  const open = new Set<GuardedPart>();
  const answers = new Map<string, StreamResult>();
  let count = 0;

  function partOf(partName: string): GuardedPart {
    const before = byName.get(partName);
    if (before !== undefined && !before.isEnded()) return before;
    if (count === MOST_PARTS) throw new RangeError(`The source has more than ${MOST_PARTS} parts.`);
    count++;
    const part = createPart(`${name}-${count}`, {
      ...settings,
      onAnswer(answer) {
        answers.set(answer.stream_id, answer);
        if (part.isFinal()) open.delete(part);
        settings.onAnswer(answer);
      },
    });
    byName.set(partName, part);
    open.add(part);
    return part;
  }

  function add(partName: string, text: string): TextNeed {
    const part = partOf(partName);
    part.add(text);
    return { part, upTo: part.length() };
  }

  return {
    take({ adds, wholes, ends }) {
      const needs = adds.map(({ part, text }) => add(part, text));
      for (const { part, text, exact } of wholes) {
        const known = byName.get(part)?.length() ?? 0;
        const rest = known === 0 ? text : exact ? text.slice(known) : '';
        if (rest !== '') needs.push(add(part, rest));
      }
      if (ends.length === 0) return needs;
      for (const [partName, part] of byName) {
        if (part.isFinal() || !ends.some((prefix) => partName.startsWith(prefix))) continue;
        part.end();
        needs.push({ part, upTo: undefined });
      }
      return needs;
    },
    endAll() {
      for (const part of open) part.end();
    },
    send() {
      for (const part of open) part.send();
    },
    areOpen: () => open.size > 0,
    areSending: () => [...open].some((part) => part.isSending()),
    unsent: () => [...open].reduce((sum, part) => sum + part.unsent(), 0),
    answers: () => [...answers.values()],
    async close() {
      await Promise.all([...open].map((part) => part.close()));
    },
  };
}
