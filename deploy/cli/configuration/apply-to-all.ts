/**
 * `weir apply --to`: applies a file to several installations, all or none. It becomes active in the first one only after the workers of all have
 * compiled it. What stops it after that is put right: those that have it already go back to what they had, under a new number.
 */
import type { Configuration } from '../../../shared/configuration/types.js';
import { connectCommands, type Redis, reasonOf, waitForRedis } from '../../../shared/streams/client.js';
import { readVersion } from '../../../shared/streams/configuration.js';
import { keys } from '../../../shared/streams/keys.js';
import { readLayout } from '../../../shared/streams/partitions.js';
import type { CommandOutput } from '../command.js';
import { CONNECT_MS, type NamedInstallation } from '../installation.js';
import {
  type ApplyOptions,
  everywhere,
  makeActive,
  NotApplied,
  type PreparedVersion,
  prepare,
  type ReadForApplying,
  readForApplying,
  sayApplied,
} from './applying.js';
import { keptModels } from './kept.js';
import { createReviewer, type Reviewer } from './review.js';

type AppliedSource = Pick<ApplyOptions, 'text' | 'file' | 'files' | 'tryOut' | 'who'>;

interface ReachedInstallation extends NamedInstallation {
  redis: Redis;
  reviewer: Reviewer;
  /** each line with its name */
  output: CommandOutput;
}

type PreparedInstallation = ReachedInstallation & { prepared: PreparedVersion };

/** Returns the exit code. Rejects with {@link NotApplied}. */
export async function applyToAll(
  installations: readonly NamedInstallation[],
  source: AppliedSource,
  { yes, output }: { yes: boolean; output: CommandOutput },
): Promise<number> {
  const read = await readForApplying(source);
  const targets = installations.map((one): ReachedInstallation => {
    const redis = connectCommands(one.endpoint, 'weir-apply');
    redis.on('error', () => undefined);
    const named: CommandOutput = {
      ...output,
      out: (line) => output.out(`${one.name}: ${line}`),
      err: (line) => output.err(`${one.name}: ${line}`),
    };
    return { ...one, redis, reviewer: createReviewer(yes, named), output: named };
  });
  try {
    await each(targets, ({ redis, endpoint }) => waitForRedis(redis, endpoint, { timeoutMs: CONNECT_MS }));
    await differ(targets);
    const prepared = await prepareAll(targets, read, source);
    await activateAll(prepared, source);
    return await sayAll(prepared);
  } finally {
    for (const { redis } of targets) redis.disconnect();
  }
}

/** Does the same for all at once. Where it fails for some, rejects with {@link NotApplied}, which says for which and why. */
async function each<T extends ReachedInstallation, R>(
  targets: readonly T[],
  act: (target: T) => Promise<R>,
): Promise<R[]> {
  const ended = await Promise.allSettled(targets.map(act));
  const lines = ended.flatMap((one, i) => (one.status === 'rejected' ? linesOf(targets[i]!, one.reason) : []));
  if (lines.length > 0) throw new NotApplied([...lines, 'It was applied to none. Nothing has changed.']);
  return ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

const linesOf = ({ name }: ReachedInstallation, reason: unknown): string[] =>
  reason instanceof NotApplied ? reason.lines.map((line) => `${name}: ${line}`) : [`${name}: ${reasonOf(reason)}`];

/** Two names of one installation, or two of one region, are a mistake. */
async function differ(targets: readonly ReachedInstallation[]): Promise<void> {
  const seen = new Map<string, string>();
  const lines: string[] = [];
  const idsOf = await each(targets, async ({ redis }) => {
    const { region } = await readLayout(redis);
    const installation = await redis.get(keys.configInstallation());
    return [
      ...(installation === null ? [] : [`the same installation (${installation})`]),
      ...(region.number === 0 ? [] : [`the region ${region.number}`]),
    ];
  });
  for (const [i, ids] of idsOf.entries()) {
    for (const id of ids) {
      const other = seen.get(id);
      if (other === undefined) seen.set(id, targets[i]!.name);
      else lines.push(`${other} and ${targets[i]!.name} are both ${id}.`);
    }
  }
  if (lines.length > 0) throw new NotApplied([...lines, 'It was applied to none. Nothing has changed.']);
}

async function prepareAll(
  targets: readonly ReachedInstallation[],
  read: ReadForApplying,
  { file }: AppliedSource,
): Promise<PreparedInstallation[]> {
  return await each(targets, async (target) => {
    const { redis, reviewer, output, history } = target;
    const prepared = await prepare(redis, read, { file, history, say: output.err, review: reviewer.review });
    return { ...target, prepared };
  });
}

async function activateAll(targets: readonly PreparedInstallation[], { who }: AppliedSource): Promise<void> {
  const done: PreparedInstallation[] = [];
  for (const target of targets) {
    const { redis, prepared } = target;
    if (!prepared.changed) continue;
    try {
      await makeActive(redis, prepared.version, who);
      done.push(target);
    } catch (error) {
      const lines = linesOf(target, error);
      for (const one of done) lines.push(`${one.name}: ${await putBack(one, who)}`);
      throw new NotApplied([...lines, 'Look at weir status --of, and apply the file again.']);
    }
  }
}

/** Makes what was active before the active version again, as any other: once its workers have compiled it. Says what came of it. */
async function putBack(
  { redis, prepared, name, output }: PreparedInstallation,
  who: AppliedSource['who'],
): Promise<string> {
  const { active, version } = prepared;
  const has = `It has version ${version}`;
  try {
    const json = active === 0 ? undefined : await readVersion(redis, active);
    if (json === undefined) return `${has}, and had none before.`;
    const before = { configuration: JSON.parse(json) as Configuration, json, models: await keptModels(redis, active) };
    const again = await prepare(redis, before, { file: name, say: output.err });
    await makeActive(redis, again.version, who && { ...who, message: `back to ${active}` });
    return `It has what it had, as version ${again.version}.`;
  } catch (error) {
    return `${has}, which could not be undone: ${reasonOf(error)}`;
  }
}

async function sayAll(targets: readonly PreparedInstallation[]): Promise<number> {
  const applied = await Promise.all(
    targets.map(async ({ redis, prepared: { version, changed }, output }) => {
      return { version, changed, ...(await everywhere(redis, version, { say: output.err })) };
    }),
  );
  const codes = targets.map(({ reviewer, output }, i) => {
    reviewer.sayChanges(applied[i]!);
    return sayApplied(applied[i]!, output);
  });
  return Math.max(...codes);
}
