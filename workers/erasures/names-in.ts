/**
 * What the body of a work entry names, by which it is told whether something in it is erased. It may name more than its items do: of a dead
 * letter that is in doubt the replay is given up, never what is stored of it.
 */
import type { MarkedItem } from '../../shared/erasure-marks.js';
import type { WorkHeader } from '../../shared/streams/work.js';

const NOBODY = { userId: '', userEmail: '', externalSessionId: '', runId: '' };
/** As large numbers were written: parsed they would lose digits. */
const NUMBERS = /"id"\s*:\s*(-?\d[\d.eE+-]*)/g;

/** Bodies that are no JSON name nothing. */
export function namesIn(body: Buffer, { kind, scope, external = '', session }: WorkHeader): MarkedItem[] {
  const isEvent = kind === 'events' || kind === 'event';
  const found: MarkedItem[] = [];
  const add = (named: Partial<MarkedItem>): void => {
    found.push({ ...NOBODY, isEvent, scope, ...named });
  };
  // A session without a name is told by our id of it.
  const named = session?.external || session?.internal;
  if (named) add({ externalSessionId: named });
  if (external !== '') add({ externalSessionId: external });
  const text = body.toString();
  for (const [, id] of text.matchAll(NUMBERS)) add({ userId: id! });
  const left: unknown[] = [parsed(text)];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one !== 'object' || one === null) continue;
    for (const [name, value] of Object.entries(one)) {
      left.push(value);
      if (name === 'user') addUser(value, add);
      if (name === 'run_id' && typeof value === 'string') add({ runId: value });
      if (name === 'external_session_id' && typeof value === 'string') add({ externalSessionId: value });
    }
  }
  return found;
}

function addUser(value: unknown, add: (named: Partial<MarkedItem>) => void): void {
  const { id, email } = (value ?? {}) as { id?: unknown; email?: unknown };
  const userId = typeof id === 'string' ? id : '';
  const userEmail = typeof email === 'string' ? email.trim().toLowerCase() : '';
  if (userId !== '' || userEmail !== '') add({ userId, userEmail });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
