/**
 * Decides what becomes of each message:
 *
 *     clean, or nothing in it to check      handed on as it came
 *     a list with entries that are stopped  handed on without these
 *     a request that is stopped             not handed on; its sender gets an error, or for a call of a tool a result with `isError`
 *     a response that is stopped            replaced by such an error, so that nobody waits for it
 *     a notification that is stopped        dropped
 */
import type { McpAsking, McpVerdict } from './ask.js';
import { entriesOf, looksOf, methodTold } from './looks.js';
import {
  isMcpObject,
  type McpId,
  type McpMessage,
  type McpSide,
  type McpUnit,
  STOPPED,
  writeError,
  writeResult,
} from './message.js';

/** `pass`: JSON for the receiver; `reply`: JSON for the sender. At most one of them. */
export interface McpOutcome {
  pass?: string;
  reply?: string;
}

/** What is done where there is no verdict, or no look at a part. */
export type McpLeniency = 'refuse' | 'pass';

export interface McpGuardOptions {
  asking: McpAsking;
  onFailure: McpLeniency;
  unchecked: McpLeniency;
  /** Lines for the operator, without content. */
  note(line: string): void;
}

/** Where a message belongs: answers find their requests in the same session. */
export interface McpSession {
  id: string;
  /** of Weir */
  run: string;
}

export interface McpGuard {
  /** Never rejects. */
  inspect(unit: McpUnit, side: McpSide, session: McpSession): Promise<McpOutcome>;
  /** Ids of requests of the client in this session that were not answered yet. */
  unanswered(session: McpSession): McpId[];
  /** A failure for a request, in the form of its method. */
  refusal(id: McpId, text: string, request?: { method: string; isModern: boolean }): string;
}

/** A request that was handed on. */
interface McpPending {
  id: McpId;
  session: string;
  side: McpSide;
  method: string;
  name?: string;
  eventId?: string;
  isModern: boolean;
}

/** Requests that wait for an answer; of more, the oldest are forgotten. Their answers are checked all the same, as those of any method. */
const MOST_PENDING = 10_000;
const MOST_WITHHELD = 10_000;

export function createMcpGuard({ asking, onFailure, unchecked, note }: McpGuardOptions): McpGuard {
  const pending = new Map<string, McpPending>();
  /** names of tools that were taken out of lists */
  const withheld = new Set<string>();
  const keyOf = (side: McpSide, session: string, id: McpId): string => JSON.stringify([side, session, id]);

  /** Why a message must not pass; undefined where it may. Tells the operator either way. */
  function reasonAgainst(verdict: McpVerdict, about: string): string | undefined {
    if (verdict.kind === 'clean') return undefined;
    if (verdict.kind === 'violated') {
      const names = verdict.policies.join(', ');
      note(`stopped: ${about}: ${names === '' ? 'could not be evaluated' : `violates ${names}`}`);
      return names === '' ? 'It could not be evaluated.' : `It violates: ${names}.`;
    }
    const isUnknown = verdict.kind === 'unknown';
    const why = isUnknown ? `no verdict (${verdict.why})` : `not looked at: ${verdict.what.join(', ')}`;
    const passes = isUnknown ? onFailure === 'pass' && !verdict.isLasting : unchecked === 'pass';
    note(`${passes ? 'passed unchecked' : 'stopped'}: ${about}: ${why}`);
    if (passes) return undefined;
    return isUnknown
      ? `There is no verdict on it (${verdict.why}).`
      : `A part of it cannot be looked at: ${verdict.what.join(', ')}.`;
  }

  function remember(entry: McpPending): void {
    const key = keyOf(entry.side, entry.session, entry.id);
    pending.delete(key);
    pending.set(key, entry);
    if (pending.size > MOST_PENDING) pending.delete(pending.keys().next().value!);
  }

  const refusal: McpGuard['refusal'] = (id, text, { method, isModern } = { method: '', isModern: false }) =>
    method === 'tools/call'
      ? writeResult(id, {
          ...(isModern ? { resultType: 'complete' } : {}),
          content: [{ type: 'text', text }],
          isError: true,
        })
      : writeError(id, { code: STOPPED, message: text });

  /** What a stopped message becomes. */
  function stopped(message: McpMessage, text: string, request: { method: string; isModern: boolean }): McpOutcome {
    if (message.kind === 'notification') return {};
    if (message.kind === 'request') return { reply: refusal(message.id!, text, request) };
    return message.id === null || message.id === undefined ? {} : { pass: refusal(message.id, text, request) };
  }

  /** The list without the entries that must not pass. */
  function filtered(unit: McpUnit, method: string, against: ReadonlyMap<number, string>): string {
    const { id, result } = unit.message;
    const { name, entries } = entriesOf(method, result)!;
    if (method === 'tools/list') {
      for (const [at, tool] of entries.entries()) {
        const called = isMcpObject(tool) && typeof tool.name === 'string' ? tool.name : '';
        if (!against.has(at)) withheld.delete(called);
        else if (withheld.size < MOST_WITHHELD) withheld.add(called);
      }
    }
    if (against.size === 0) return unit.source;
    const kept = entries.filter((_, at) => !against.has(at));
    return writeResult(id!, { ...(result as object), [name]: kept });
  }

  async function inspect(unit: McpUnit, side: McpSide, session: McpSession): Promise<McpOutcome> {
    const { message } = unit;
    const other: McpSide = side === 'client' ? 'server' : 'client';
    const asks =
      message.kind === 'response' && message.id !== null
        ? pending.get(keyOf(other, session.id, message.id!))
        : undefined;
    if (asks) pending.delete(keyOf(other, session.id, asks.id));
    const request = asks ?? requestOf(message, side, session);
    const { method, isModern } = request;
    const about = `${methodTold(method)} ${message.kind} of the ${side}`;
    // A session has as many tools as its server says: a full list of the withheld stops all calls.
    if (
      method === 'tools/call' &&
      message.kind === 'request' &&
      (withheld.has(request.name ?? '') || withheld.size >= MOST_WITHHELD)
    ) {
      note(`stopped: ${about}: the tool was withheld`);
      return stopped(message, 'Stopped by Weir: this tool was withheld.', { method, isModern });
    }
    const looks = looksOf(unit.exact, { side, method, ...(asks ? { name: asks.name } : {}) });
    const asked = {
      run: session.run,
      method: methodTold(method),
      side,
      ...(method === 'tools/call' && message.id !== null && message.id !== undefined
        ? { callId: String(message.id).slice(0, 256) }
        : {}),
      ...(asks?.eventId === undefined ? {} : { parent: asks.eventId }),
    };
    const { verdicts, eventId } = await asking.verdicts(looks, asked);
    const against = new Map<number, string>();
    for (const [at, verdict] of verdicts.entries()) {
      const { entry } = looks[at]!;
      const reason = reasonAgainst(verdict, entry === undefined ? about : `entry ${entry + 1} of the ${about}`);
      if (reason === undefined) continue;
      if (entry === undefined) return stopped(message, `Stopped by Weir. ${reason}`, { method, isModern });
      against.set(entry, reason);
    }
    if (message.kind === 'request') remember({ ...request, ...(eventId === undefined ? {} : { eventId }) });
    const isList = side === 'server' && message.kind === 'response' && entriesOf(method, message.result) !== undefined;
    return { pass: isList ? filtered(unit, method, against) : unit.source };
  }

  return {
    refusal,
    async inspect(unit, side, session) {
      try {
        return await inspect(unit, side, session);
      } catch {
        // Whatever fails here must not let a message pass. JSON that is nested too deep for the stack ends here, too.
        note(`stopped: a ${unit.message.kind} of the ${side}: it could not be read`);
        return stopped(unit.message, 'Stopped by Weir. It could not be read.', { method: '', isModern: false });
      }
    },
    unanswered: (session) =>
      [...pending.values()].filter((each) => each.side === 'client' && each.session === session.id).map(({ id }) => id),
  };
}

function requestOf(message: McpMessage, side: McpSide, session: McpSession): McpPending {
  const { method = '', params } = message;
  const members = isMcpObject(params) ? params : {};
  const isModern = isMcpObject(members._meta) && 'io.modelcontextprotocol/protocolVersion' in members._meta;
  const name =
    typeof members.name === 'string' ? members.name : typeof members.uri === 'string' ? members.uri : undefined;
  return { id: message.id ?? '', session: session.id, side, method, isModern, ...(name === undefined ? {} : { name }) };
}
