/** Streams: texts that are checked while they are written (decisions, Streams). */
import { viewedItem } from '../../shared/api/results/explanation.js';
import type { StoredItem } from '../../shared/api/results/record.js';
import { storedItem } from '../../shared/api/results/render.js';
import type { CheckInput, StreamPiece } from '../../shared/api/validate/issues.js';
import type { Scope } from '../admission/directory.js';
import { writableScope } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { waitOf } from '../http/headers.js';
import { readView } from '../http/query.js';
import { tellFindings } from '../http/tracing.js';
import type { StreamAnswer } from '../streams/types.js';
import { answering } from './body.js';
import { callerOf } from './check.js';
import { viewedStored } from './matched.js';
import { deploymentOf } from './sessions.js';

async function add(edge: Edge, exchange: Exchange, { piece, scope: named }: CheckInput): Promise<string> {
  if (!piece) throw new Error('a piece was not read as one');
  // They count `safe_until` here.
  exchange.view = readView(exchange, true);
  exchange.wait = waitOf(exchange.headers.prefer, edge.settings.deadlineMs);
  const scope = scopeOf(edge, exchange, piece.kind, named);
  const answer = await edge.streams.add(callerOf(exchange, false), piece, scope);
  // A look that finds something has the stream checked and stored at once, so there are no findings without a record.
  if (exchange.span && answer.record) tellFindings(exchange.span, answer.record);
  return render(piece, answer, exchange, await shownItem(edge, exchange, answer));
}

function scopeOf(edge: Edge, exchange: Exchange, kind: StreamPiece['kind'], named: string): Scope {
  return writableScope(edge, exchange.key, kind, kind === 'deployment' ? deploymentOf(exchange, named) : named);
}

/** The item that is stored, as the query wants it; undefined: none is. */
async function shownItem(edge: Edge, exchange: Exchange, answer: StreamAnswer): Promise<StoredItem | undefined> {
  const { record, text } = answer;
  if (!record) return undefined;
  const item = storedItem(record, record.items[0]!);
  const { view } = exchange;
  if (text) return viewedItem(item, view, view.matched ? text.toString() : undefined);
  return (await viewedStored(edge, exchange, [item]))[0];
}

const UNITS = { utf16: 'units', codepoints: 'points', bytes: 'bytes' } as const;

function render(piece: StreamPiece, answer: StreamAnswer, { view }: Exchange, stored: StoredItem | undefined): string {
  const { safe, delayed, final } = answer;
  const own = piece.kind === 'deployment' ? 'internal_session_id' : 'internal_event_id';
  const ids = stored ? `,"${own}":"${stored.id}"` : '';
  const note = stored && stored.note !== '' ? `,"note":${JSON.stringify(stored.note)}` : '';
  const said = `"flagged":${stored?.flagged === true},"policies":${stored?.policies ?? '{}'}`;
  const until = safe[UNITS[view.offsets ?? 'utf16']];
  return `{"stream_id":"${piece.id}","sequence":${piece.sequence},${said},"safe_until":${until},"delayed_policies":${delayed},"final":${final}${ids}${note}}`;
}

export const streamRoutes = { checkStream: answering('stream', add) } satisfies RouteHandlers;
