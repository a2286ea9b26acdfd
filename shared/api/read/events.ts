/**
 * Reads the events of a request in one walk over its bytes, and makes what dispatch needs. Nothing is made of contents and metadata, nor of ids
 * until something asks for them. Measured: 50 events take half of the time of `JSON.parse` and `validateEvents`, and leave nearly nothing
 * to collect. What it does not take is refused: `validate/` only says why.
 */
import { conversationOf } from '../conversation.js';
import type { Cause, CheckInput } from '../validate/issues.js';
import { readBatch, readSingle } from './request.js';
import { type Resolved, resolved } from './resolve.js';
import { placeOf, request, slots, textAt } from './slots.js';

/**
 * What is made of a request. Its lists are made when they are first asked for, which mostly nobody does: they are for late answers, for
 * retries, and for policies that look at earlier texts. A class, since V8 keeps accessors of an object's own outside of the young heap: with
 * them most of a request outlived the collections of young objects (measured: twice as many bytes did).
 */
class ReadEvents implements CheckInput {
  readonly references: Resolved['references'];
  readonly referred: Resolved['referred'];
  declare readonly causes?: Cause[];
  readonly images = request.images;
  readonly policies = [];
  readonly policiesField = 'policies';
  readonly scope: string;
  readonly affinity: string;
  readonly #body: Buffer;
  readonly #reads: (body: Buffer) => boolean;
  #ids: Ids | undefined;

  constructor(body: Buffer, reads: (body: Buffer) => boolean, { references, referred, causes }: Resolved) {
    const first = slots[0]!;
    this.references = references;
    this.referred = referred;
    if (causes) this.causes = causes;
    this.scope = textAt(body, request.scope);
    const run = textAt(body, placeOf(first.run, request.run));
    this.affinity = run || textAt(body, placeOf(first.session, request.session));
    this.#body = body;
    this.#reads = reads;
  }

  get conversations(): Ids['conversations'] {
    return this.#made().conversations;
  }

  get eventIds(): Ids['eventIds'] {
    return this.#made().eventIds;
  }

  get runIds(): Ids['runIds'] {
    return this.#made().runIds;
  }

  #made(): Ids {
    // Others may have been read after it.
    if (!this.#ids && request.body !== this.#body) this.#reads(this.#body);
    this.#ids ??= idsOf(this.#body);
    return this.#ids;
  }
}

/** Most requests have none. */
const NOTHING_NAMED: Resolved = { references: [], referred: [] };

/** What is made of the body of a `POST /api/events`, which is UTF-8; undefined if it is refused. The body must not change. */
export const readEvents = (body: Buffer): CheckInput | undefined => read(body, readBatch);

/** The same of a `POST /api/event`. */
export const readEvent = (body: Buffer): CheckInput | undefined => read(body, readSingle);

function read(body: Buffer, reads: (body: Buffer) => boolean): CheckInput | undefined {
  if (!reads(body)) return undefined;
  const named = request.names ? resolved(body) : NOTHING_NAMED;
  return named && new ReadEvents(body, reads, named);
}

/** `input` with its lists, as it goes to another thread. */
export function listed(input: CheckInput): CheckInput {
  if (!(input instanceof ReadEvents)) return input;
  const { conversations, eventIds, runIds } = input;
  return { ...input, conversations, eventIds, runIds };
}

type Ids = Pick<CheckInput, 'conversations' | 'eventIds'> & { runIds: string[] };

/** Of the request that was read last. */
function idsOf(body: Buffer): Ids {
  const ids: Ids = { conversations: [], eventIds: [], runIds: [] };
  for (let i = 0; i < request.events; i++) {
    const { id, run, session, isReference } = slots[i]!;
    const runId = textAt(body, placeOf(run, request.run));
    ids.eventIds.push(isReference ? null : textAt(body, id));
    ids.runIds.push(runId);
    const conversation = conversationOf(textAt(body, placeOf(session, request.session)), runId);
    if (!ids.conversations.includes(conversation)) ids.conversations.push(conversation);
  }
  return ids;
}
