/** The audit log: of the team of a key, and of all teams for operators. */
import type { AuditEntry, AuditPage } from '../../shared/api/audit.js';
import { auditEndpoints } from '../../shared/api/endpoints/audit.js';
import { LIMITS } from '../../shared/api/limits.js';
import { charactersExceed } from '../../shared/api/validate/measure.js';
import { type AuditedEntry, type AuditQuestion, auditEntryOf } from '../../shared/history/read/audit.js';
import { partsOf } from '../../shared/ids.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { oneOf, queryError, readNumber, readQuery, timesIn } from '../http/query.js';
import { sendJson } from '../http/response.js';
import { known } from './found.js';

const NAMES = ['action', 'actor', 'subject', 'team', 'before', 'limit'] as const;
const ACTIONS = auditEndpoints.getAudit.parameters!.find(({ name }) => name === 'action')!.schema.enum as string[];

async function getAudit(edge: Edge, exchange: Exchange): Promise<void> {
  await sendPage(edge, exchange, { team: exchange.key.team, show: shownToTeam });
}

async function getAuditOfAll(edge: Edge, exchange: Exchange): Promise<void> {
  const { team } = readQuery(exchange.query, ['team']);
  await sendPage(edge, exchange, { team: team === '' ? undefined : team, show: auditEntryOf });
}

async function sendPage(
  edge: Edge,
  exchange: Exchange,
  { team, show }: { team: string | undefined; show(entry: AuditedEntry): AuditEntry },
): Promise<void> {
  const { entries, next } = known(await edge.lookup.audit({ ...questionIn(exchange), team }));
  const page: AuditPage = { entries: entries.map(show), ...(next === undefined ? {} : { next }) };
  sendJson(edge, exchange, JSON.stringify(page));
}

/** Throws 400. */
function questionIn({ query, received }: Exchange): Omit<AuditQuestion, 'team'> {
  const asked = readQuery(query, NAMES);
  for (const name of ['actor', 'subject', 'team'] as const) {
    if (charactersExceed(asked[name], LIMITS.nameCharacters))
      throw queryError(name, 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  }
  const { action, actor, subject, before, limit } = asked;
  if (before !== '' && !partsOf(before))
    throw queryError('before', 'id', 'expected the id of an entry, as `next` of an earlier answer has it');
  return {
    ...timesIn(query, received),
    action: oneOf('action', action, ACTIONS) ?? '',
    actor,
    subject,
    before: before.toLowerCase(),
    limit: readNumber('limit', limit, { most: LIMITS.auditEntries, otherwise: 50 }),
  };
}

/** What was said of a configuration may be about another team. */
function shownToTeam(entry: AuditedEntry): AuditEntry {
  const { message: _, ...told } = auditEntryOf(entry);
  return told;
}

export const auditRoutes = { getAudit, getAuditOfAll } satisfies RouteHandlers;
