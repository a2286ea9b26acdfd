/**
 * Figures that a plan is made of: what a request costs each tier, as `npm run bench -- figures` measured it. They are data
 * (`figures.json`), so an operator can give those of another machine.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import typia, { type tags } from 'typia';
import { cannotRead, readTextAtMost } from '../../../shared/files.js';
import { packageRoot } from '../../../shared/paths.js';

type Amount = number & tags.Minimum<0> & tags.Maximum<1e12>;
type Named = string & tags.MinLength<1> & tags.MaxLength<200>;

/** What a single event costs (`POST /api/event`): `request + flagged, if it is + bytes of the body × byte`. */
export interface SingleCost {
  request: Amount;
  flagged: Amount;
  byte: Amount;
}

/**
 * What a batch costs (`POST /api/events`): `request + kinds of events × kind + events × event + flagged events × flagged +
 * bytes of the body × byte`.
 */
export interface BatchCost extends SingleCost {
  kind: Amount;
  event: Amount;
}

/** What a check of one image costs that was sent in its request: `request + bytes of the body × byte`. */
export interface ImageCost {
  request: Amount;
  byte: Amount;
}

/** What runs where nothing is checked, a second: `processes × process + partitions × workers that read each × reader`. */
export interface IdleCost {
  process: Amount;
  reader: Amount;
}

/** Bytes, but `commands`, by what sends or keeps them. */
export interface TierCosts<Cost> {
  /** heads included */
  httpIn: Cost;
  httpOut: Cost;
  /** what Redis reads and writes on all connections but those of replicas */
  redisIn: Cost;
  redisOut: Cost;
  /** commands of Redis, those of scripts included */
  commands: Cost;
  /** to one replica of Redis */
  replication: Cost;
  /** growth of the append-only file */
  appendOnly: Cost;
  /** memory of Redis from the check until `WEIR_HOT_SECONDS` after it was archived */
  hot: Cost;
  /** from archivers to ClickHouse */
  inserted: Cost;
  /** on the disk of one replica of ClickHouse: tables that live for `results_days`, and for `content_days` */
  results: Cost;
  content: Cost;
}

/** CPU seconds. */
export interface CpuCosts<Cost> {
  ingress: Cost;
  evaluator: Cost;
  archiver: Cost;
  redis: Cost;
  replica: Cost;
  clickhouse: Cost;
}

export interface PlanFigures {
  format: 1;
  /** where they were measured */
  machine: {
    date: Named;
    commit: Named;
    cpu: Named;
    cores: number & tags.Type<'uint32'> & tags.Minimum<1>;
    node: Named;
    redis: Named;
    clickhouse: Named;
    load: Named;
  };
  single: TierCosts<SingleCost> & { cpu: CpuCosts<SingleCost> };
  batch: TierCosts<BatchCost> & { cpu: CpuCosts<BatchCost> };
  images: TierCosts<ImageCost> & { cpu: CpuCosts<ImageCost> };
  idle: Pick<TierCosts<IdleCost>, 'redisIn' | 'redisOut' | 'commands'>;
  /** MiB that a process of the tier takes at most under load */
  resident: { ingress: Amount; evaluator: Amount; archiver: Amount; clickhouse: Amount };
}

/** Those that ship with Weir. */
export const SHIPPED_FIGURES = join(packageRoot, 'deploy', 'cli', 'plan', 'figures.json');

const MOST_BYTES = 64 * 1024;

/** Reads figures. Throws a sentence that names the file, and the field that is wrong. */
export function readFigures(path: string): PlanFigures {
  let text: string;
  try {
    text = path === SHIPPED_FIGURES ? readFileSync(path, 'utf8') : readTextAtMost(path, MOST_BYTES);
  } catch (error) {
    throw cannotRead(path, error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${path}: is not JSON; npm run bench -- figures --output FILE writes such a file`);
  }
  return checkFigures(value, path);
}

export function checkFigures(value: unknown, path: string): PlanFigures {
  const result = typia.validateEquals<PlanFigures>(value);
  if (result.success) return result.data;
  const [{ path: field, expected }] = result.errors as [typia.IValidation.IError];
  const name = field.replace(/^\$input\.?/, '') || 'the file';
  throw new Error(`${path}: ${name} must be ${expected}; npm run bench -- figures --output FILE writes such a file`);
}
