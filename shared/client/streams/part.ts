/**
 * A part of a source as a stream at the service: its text goes there in pieces, one after the other, and the answers say up to where it
 * may be handed on.
 *
 *     open ──text──> sending ──answer──> open          what comes meanwhile is the next piece
 *      │                └──answer to the last piece──> final
 *      └──end, and nothing left to send──> sending
 *
 * A flagged answer or an error ends the guard, which then closes every part: see `close`.
 */

import type { StreamRequest, StreamResult } from '../../api/types.js';
import type { ClientError, Result } from '../errors.js';
import type { CallOptions } from '../transport.js';

/** UTF-16 units of a piece at most. */
export const MOST_UNITS = 64 * 1024;
/** How long the end of a stream that nobody reads any more may take, in ms. */
const CLOSE_MS = 5000;

export type PieceCall = (piece: StreamRequest, options: CallOptions) => Promise<Result<StreamResult>>;

export interface PartSettings {
  call: PieceCall;
  /** what each piece says beside its text */
  common: Omit<StreamRequest, 'stream_id' | 'sequence' | 'delta' | 'final'>;
  timeoutMs: number | undefined;
  /** nothing is safe as long as policies are named that judge later */
  waitsForAll: boolean;
  /** called when there is news */
  onAnswer(answer: StreamResult): void;
  onError(error: ClientError): void;
}

export interface GuardedPart {
  /** units read so far */
  length(): number;
  /** units that are not sent yet */
  unsent(): number;
  isEnded(): boolean;
  isFinal(): boolean;
  isSending(): boolean;
  /** whether its text may be handed on, up to this unit or, without, to its end */
  isSafe(upTo: number | undefined): boolean;
  add(text: string): void;
  end(): void;
  /** Sends a piece if there is one and none is under way. */
  send(): void;
  /** Ends the stream at the service with what was sent of it, if it has anything of it. Never rejects. */
  close(): Promise<void>;
}

const isLead = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

export function createPart(stream_id: string, settings: PartSettings): GuardedPart {
  const { call, common, timeoutMs, waitsForAll, onAnswer, onError } = settings;
  const giveUp = new AbortController();
  let unsent = '';
  let length = 0;
  let sequence = 0;
  let safe = 0;
  let ended = false;
  let final = false;
  let closed = false;
  let sending: Promise<void> | undefined;

  /** Half of a character waits for its other half. */
  function nextDelta(): string {
    let units = Math.min(unsent.length, MOST_UNITS);
    const isLast = ended && units === unsent.length;
    if (!isLast && units > 0 && isLead(unsent.charCodeAt(units - 1))) units--;
    return unsent.slice(0, units);
  }

  async function sendPiece(delta: string, isLast: boolean): Promise<void> {
    const piece = { ...common, stream_id, sequence, delta, ...(isLast ? { final: true } : {}) };
    const result = await call(piece, { signal: giveUp.signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    sending = undefined;
    if (!result.ok) {
      if (!closed) onError(result.error);
      return;
    }
    const { value } = result;
    sequence++;
    if (isLast) final = true;
    // Until the end, answers of later policies are not in.
    if (!waitsForAll || value.delayed_policies.length === 0) safe = Math.max(safe, value.safe_until);
    if (!closed) onAnswer(value);
  }

  return {
    length: () => length,
    unsent: () => unsent.length,
    isEnded: () => ended,
    isFinal: () => final,
    isSending: () => sending !== undefined,
    isSafe: (upTo) => final || (upTo !== undefined && upTo <= safe),
    add(text) {
      unsent += text;
      length += text.length;
    },
    end() {
      ended = true;
    },
    send() {
      if (sending !== undefined || final || closed) return;
      const delta = nextDelta();
      const isLast = ended && delta.length === unsent.length;
      if (delta === '' && !isLast) return;
      unsent = unsent.slice(delta.length);
      sending = sendPiece(delta, isLast);
    },
    async close() {
      closed = true;
      unsent = '';
      const timer = setTimeout(() => giveUp.abort(), CLOSE_MS);
      await sending;
      if (!final && sequence > 0) {
        const piece = { ...common, stream_id, sequence, delta: '', final: true };
        await call(piece, { signal: giveUp.signal, timeoutMs: CLOSE_MS });
      }
      clearTimeout(timer);
    },
  };
}
