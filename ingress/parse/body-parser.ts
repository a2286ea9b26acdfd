/**
 * Parses bodies: small ones at once on the loop, larger ones on one of two threads. The second thread has the bodies that may
 * take a second, so that those of a few milliseconds never wait for them.
 */
import type { CheckKind } from '../../shared/api/types.js';
import type { Logger } from '../../shared/log.js';
import type { Settings } from '../../shared/settings.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { contentTexts } from './content-texts.js';
import { type BodyKind, type ParseResult, parseBody } from './parse-body.js';
import { bytesOf, createThread, type ParsedBody } from './parsing-thread.js';

export type { ParsedBody };

/** Bytes above which a body is parsed on a thread: it would hold up the loop for a millisecond and more. */
export const LARGE_BODY = 64 * 1024;
/** Bytes above which a body goes to the second thread. */
const HUGE_BODY = 256 * 1024;

export interface Parser {
  /** For bodies up to LARGE_BODY. */
  now(kind: BodyKind, body: Buffer): ParseResult;
  /**
   * For larger ones, of a team, in pieces. The memory of the pieces is taken; the body comes back as one buffer. Rejects with 503
   * when the thread died or took too long. `requestId`: for logs.
   */
  later(kind: BodyKind, pieces: readonly Buffer[], team: string, requestId?: string): Promise<ParsedBody>;
  /** The texts of a body that was checked, by number of the item. Rejects with 503 as above. */
  texts(checked: CheckedBody, team: string, requestId?: string): Map<number, string> | Promise<Map<number, string>>;
  close(): Promise<void>;
}

export interface CheckedBody {
  kind: CheckKind;
  body: Buffer;
  /** numbers of the items whose texts are wanted */
  items: readonly number[];
}

export type ParserSettings = Settings<'bodyValues' | 'messageBytes' | 'parseMs'>;

export interface ParserTools {
  logger: Logger;
  registry: Registry;
}

export function createParser(settings: ParserSettings, { logger, registry }: ParserTools): Parser {
  const { counter, gauge } = metersOf(registry);
  const ended = counter('weir_parse_ended_total', 'Bodies over 64 KiB whose parsing was given up, over time or memory');
  const threads = { large: createThread(settings, { logger, ended }), huge: createThread(settings, { logger, ended }) };
  const threadFor = (bytes: number) => (bytes > HUGE_BODY ? threads.huge : threads.large);
  const waiting = (): number => threads.large.waiting() + threads.huge.waiting();
  gauge('weir_parse_waiting', 'Bodies over 64 KiB that wait to be parsed', waiting);
  return {
    now: (kind, body) => parseBody(kind, body, settings),
    later(kind, pieces, team, requestId) {
      const thread = threadFor(bytesOf(pieces));
      return new Promise((resolve, reject) => thread.add(team, { requestId, kind, pieces, resolve, reject }));
    },
    texts({ kind, body, items }, team, requestId) {
      if (body.length <= LARGE_BODY) return contentTexts(kind, body, items);
      const copy = new Uint8Array(body).buffer;
      const thread = threadFor(body.length);
      return new Promise((resolve, reject) =>
        thread.add(team, { requestId, kind, body: copy, items, resolve, reject }),
      );
    },
    async close() {
      await Promise.all([threads.large.close(), threads.huge.close()]);
    },
  };
}
