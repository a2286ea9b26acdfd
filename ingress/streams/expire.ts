/**
 * Ends streams that nothing was added to for ten minutes: what was handed on of them is checked and stored, as a last piece would have it.
 * Each process looks for such streams now and then. One takes a stream for a minute; where it does not get to the end of it, another does.
 */
import { repeat } from '../../shared/async.js';
import { loudness } from '../../shared/streams/client.js';
import type { Edge } from '../http/exchange.js';
import { checkStreamText, failureOf } from './check.js';
import { expireStream, filledSets, leavePlaces, noteStream, type StreamName, takeIdle } from './state.js';
import { keep, type StreamTools } from './streams.js';

const LOOK_MS = 5000;
/** Before a stream whose scope is not in the configuration is looked at again. */
const LEFT_MS = 3_600_000;

/** Returns what stops it. */
export function endIdleStreams(edge: Edge, tools: StreamTools, everyMs = LOOK_MS): () => void {
  const { redis, logger } = tools;
  return repeat(everyMs, async () => {
    for (const set of await filledSets(redis)) {
      try {
        for (const name of await takeIdle(redis, set)) await endIdle(edge, tools, name);
      } catch (error) {
        logger[loudness(error)]({ error: String(error) }, 'idle streams could not be ended; trying again');
      }
    }
  });
}

async function endIdle(edge: Edge, tools: StreamTools, name: StreamName): Promise<void> {
  const { redis, logger } = tools;
  const expired = await expireStream(redis, name);
  if (expired.status === 'live') return await noteStream(redis, name, expired.ms);
  if (expired.status === 'gone') return await leavePlaces(redis, name, NOBODY);
  const { state, text } = expired;
  const scope = edge.directory()[name.kind](name.team, name.scope);
  if (!scope) {
    logger.warn({ team: name.team, kind: name.kind }, 'an idle stream is left: its scope is not in the configuration');
    return await noteStream(redis, name, LEFT_MS);
  }
  const caller = {
    key: { id: state.key, team: name.team },
    received: Date.now(),
    traceparent: '',
    redact: false,
    wait: 0,
  };
  const record = await checkStreamText(edge, caller, { name, state, text, scope });
  // One that could not be evaluated is stored as that: nobody sends it again.
  if (failureOf(record)) logger.warn({ check_id: record.id }, 'an idle stream could not be evaluated');
  await keep(tools, name, state, record);
  edge.streams.meters?.ended.inc({ how: 'expired' });
}

/** Its places are free by themselves. */
const NOBODY = { key: '', room: 0 };
