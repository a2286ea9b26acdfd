/** Asks Weir for the verdicts on what a message says. */
import { randomUUID } from 'node:crypto';
import type { EventInput, EventResult } from '../../../shared/api/types.js';
import { type Client, type ClientError, isServiceError } from '../../../shared/client/index.js';
import type { McpLook } from './looks.js';

export type McpVerdict =
  | { kind: 'clean' }
  /** names of policies */
  | { kind: 'violated'; policies: string[] }
  /** what was not looked at, in words */
  | { kind: 'unlooked'; what: string[] }
  /** `isLasting`: the key or the request is at fault, and so the next one will be */
  | { kind: 'unknown'; why: string; isLasting: boolean };

export interface McpAsked {
  run: string;
  /** of the call, in history */
  callId?: string;
  /** id of the event that this one answers */
  parent?: string;
  method: string;
  side: string;
}

export interface McpAsking {
  /** A verdict for each look, in their order, and the id of the first event. Never rejects. */
  verdicts(looks: readonly McpLook[], asked: McpAsked): Promise<{ verdicts: McpVerdict[]; eventId?: string }>;
}

/** What a note of Weir says where it had no look at a part. */
const UNLOOKED = /(?:was|were) not looked at/;

export function createMcpAsking(
  client: Client,
  { environment, metadata }: { environment: string; metadata: Record<string, unknown> },
): McpAsking {
  const salt = randomUUID().slice(0, 8);
  let count = 0;

  return {
    async verdicts(looks, { run, callId, parent, method, side }) {
      const facts = { metadata: { ...metadata, mcp: { method, from: side } } };
      const ids = looks.map(({ events }) => events.map(() => `mcp-${salt}-${++count}`));
      const sent = looks.flatMap((look, at) =>
        look.events.map(
          (event, n): EventInput => ({
            ...event,
            ...facts,
            event_id: ids[at]![n]!,
            ...(callId === undefined || event.type === 'artifact' ? {} : { call_id: callId }),
            ...(parent === undefined ? {} : { parent: { event_id: parent } }),
          }),
        ),
      );
      if (sent.length === 0) return { verdicts: looks.map((look) => verdictOf(look, [])) };
      const answer = await client.checkEvents(
        { environment_id: environment, run_id: run, events: sent },
        { policies: 'flagged' },
      );
      const eventId = ids.flat()[0]!;
      if (!answer.ok) {
        const unknown = unknownBy(answer.error);
        return { verdicts: looks.map(() => unknown), eventId };
      }
      const { results } = answer.value;
      const verdicts = looks.map((look, at) =>
        verdictOf(
          look,
          look.events.map(({ type }, n) => results[type][ids[at]![n]!]),
        ),
      );
      return { verdicts, eventId };
    },
  };
}

function verdictOf({ unlooked }: McpLook, results: readonly (EventResult | undefined)[]): McpVerdict {
  const policies = results.flatMap((result) => Object.values(result?.policies ?? {}).filter(({ flagged }) => flagged));
  // With `fail_closed` an event may be flagged without a policy that says why.
  if (results.some((result) => result?.flagged))
    return { kind: 'violated', policies: [...new Set(policies.map(({ name }) => name))] };
  // The answer is Weir's own, so no note of it quotes content; what it says is for the person who looks at history.
  if (results.some((result) => result?.event.status !== 'completed')) {
    return { kind: 'unknown', why: 'a part of it could not be evaluated', isLasting: false };
  }
  const what = [...unlooked];
  if (results.some((result) => UNLOOKED.test(result?.note ?? ''))) what.push('an image or a file within a text');
  return what.length > 0 ? { kind: 'unlooked', what: [...new Set(what)] } : { kind: 'clean' };
}

/** The code of an error, which has no content, as its message may. */
function unknownBy(error: ClientError): McpVerdict {
  if (!isServiceError(error))
    return { kind: 'unknown', why: `Weir: ${error.type}`, isLasting: error.type === 'usage_error' };
  const isLasting = error.status < 500 && error.status !== 429 && error.status !== 409;
  return { kind: 'unknown', why: `Weir: ${error.code}`, isLasting };
}
