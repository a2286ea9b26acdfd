/** The roles of a worker process, and what they share. */
import { HISTORY_SETTINGS } from '../shared/history/client.js';
import type { Logger } from '../shared/log.js';
import type { SettingName, Settings } from '../shared/settings.js';
import type { Redis } from '../shared/streams/client.js';
import { REDIS_SETTINGS } from '../shared/streams/endpoint.js';
import type { Registry } from '../shared/telemetry.js';
import type { Traces } from '../shared/traces/spans.js';

export const SETTINGS = [
  ...REDIS_SETTINGS,
  ...HISTORY_SETTINGS,
  'clickhouseQuorum',
  'historyTimeoutMs',
  'roles',
  'threads',
  'fetchAllow',
  'fetches',
  'decoders',
  'hashLists',
  'ocrLanguages',
  'models',
  'confine',
  'readers',
  'slowThreads',
  'slowEntries',
  'slowBytes',
  'partitions',
  'region',
  'maxAttempts',
  'claimIdleMs',
  'hardLimitMs',
  'hotSeconds',
  'maxMemoryPercent',
  'blockDelayMs',
  'blockRows',
  'blockBytes',
  'metricThreads',
  'metricsBacklogBytes',
  'hookTimeoutMs',
  'hookBacklogBytes',
  'rewriteSeconds',
  'drainMs',
  'metricsHost',
  'metricsPort',
  'allowedHosts',
  'tracesUrl',
  'log',
  'logLevel',
] as const satisfies readonly SettingName[];

/** What a worker may do (`WEIR_ROLES`). */
export const ROLES = ['evaluator', 'archiver', 'metrics', 'hooks'] as const;

export interface RoleTools {
  settings: Settings<(typeof SETTINGS)[number]>;
  redis: Redis;
  logger: Logger;
  registry: Registry;
  /** absent: no check is traced */
  traces?: Traces | undefined;
  partitions(): number;
}

/** A role that was started. */
export interface Role {
  /** ms of the steady clock of the last sign of progress */
  lastProgress(): number;
  /** undefined: it can work; else why not, in a sentence */
  trouble(): string | undefined;
  stop(): Promise<void>;
}
