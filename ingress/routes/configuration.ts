/** What a team asks of the configuration: its own part. */
import type { ConfigurationVersions, ConfiguredPolicies, VersionChanges } from '../../shared/api/configuration.js';
import { LIMITS } from '../../shared/api/limits.js';
import { isUuid } from '../../shared/ids.js';
import { notFound } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readNumber, readQuery } from '../http/query.js';
import { sendJson } from '../http/response.js';

async function getConfigurationVersions(edge: Edge, exchange: Exchange): Promise<void> {
  const { before, limit } = readQuery(exchange.query, ['before', 'limit']);
  const answer: ConfigurationVersions = await edge.configurations.list(exchange.key.team, {
    before: versionIn('before', before),
    limit: readNumber('limit', limit, { most: LIMITS.configurationVersions, otherwise: 10 }),
  });
  sendJson(edge, exchange, JSON.stringify(answer));
}

async function getConfigurationChanges(edge: Edge, exchange: Exchange): Promise<void> {
  const { from } = readQuery(exchange.query, ['from']);
  const asked = { version: versionIn('version', exchange.id), from: versionIn('from', from) };
  const found = await edge.configurations.changes(exchange.key.team, asked);
  if (typeof found === 'string') throw notFound(found);
  const { version, from: compared, summary, changes, left_out } = found;
  const answer: VersionChanges = { version, from: compared, summary, changes, left_out };
  sendJson(edge, exchange, JSON.stringify(answer));
}

async function getConfiguredPolicies(edge: Edge, exchange: Exchange): Promise<void> {
  const { version, after, limit } = readQuery(exchange.query, ['version', 'after', 'limit']);
  if (after !== '' && !isUuid(after)) throw queryError('after', 'uuid', 'expected a UUID');
  const found = await edge.configurations.policies(exchange.key.team, {
    version: versionIn('version', version),
    after: after.toLowerCase(),
    limit: readNumber('limit', limit, { most: LIMITS.configuredPolicies, otherwise: 20 }),
  });
  if (typeof found === 'string') throw notFound(found);
  sendJson(edge, exchange, JSON.stringify(found satisfies ConfiguredPolicies));
}

/** 0 where absent. Throws 400. */
function versionIn(name: string, text: string): number {
  if (text === '') return 0;
  const version = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (version > 0) return version;
  throw queryError(name, 'range', 'expected the number of a version');
}

export const configurationRoutes = {
  getConfigurationVersions,
  getConfigurationChanges,
  getConfiguredPolicies,
} satisfies RouteHandlers;
