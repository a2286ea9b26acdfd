/** Figures and lists of random items, held against sums over the items themselves: some stored twice, some replayed, some erased, some from before a migration. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { seeded } from '#weir/bench/workloads/random';
import { createHistoryClient } from '#weir/shared/history/client';
import { migrate } from '#weir/shared/history/migrate';
import { createAsker } from '#weir/shared/history/read/asker';
import { type PastFigures, SPLITS, type Split } from '#weir/shared/history/read/figures';
import type { PastFilter } from '#weir/shared/history/read/past-filter';
import { createHistoryQueries } from '#weir/shared/history/read/queries';
import { itemId, newRequestId } from '#weir/shared/ids';
import { packageRoot } from '#weir/shared/paths';
import type { RowItem } from '#weir/workers/rows/row-types';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { startTestClickHouse } from '../../../support/stores/clickhouse.ts';
import { encodeRows } from '../../../support/stores/encoded.ts';
import { rowItem, rowRequest } from '../../../support/stores/history.ts';
import { insertRows } from '../../../support/stores/insert.ts';

const MINUTE = 60_000;
const STEPS = 30;
const START = Math.floor(Date.now() / MINUTE) * MINUTE - STEPS * MINUTE;
const random = seeded(7);
const some = <T>(from: readonly T[], share: number): T[] => from.filter(() => random.next() < share);
const one = <T>(from: readonly T[]): T | '' => (random.next() < 0.5 ? random.pick(from) : '');

// Names with what has a meaning where they are looked for, of which some begin or end like others.
const POLICY_NAMES = ['Cards', 'Card', 'Cards [a-z]+ (new)', 'Ünï "quoted" \\t', 'A|B', 'text', 'With\ta\ntab'];
const POLICIES = POLICY_NAMES.map((name, n) => ({ id: `7c000000-0000-4000-8000-00000000000${n}`, name }));
const CONDITIONS = ['all', 'all.1', 'allx1', 'image'].map((id) => ({ id, name: `Condition "${id}" + more` }));
const SOURCES = ['text', 'image'] as const;
/** Tabs and ends of lines, which only versions of earlier rules can have in a name, are shown as spaces. */
const shown = (name: string): string => name.replaceAll(/[\t\n]/g, ' ');

interface Checked {
  id: string;
  scope: string;
  isEvent: boolean;
  ms: number;
  took: number;
  flagged: boolean | null;
  gaps: number;
  user: string;
  email: string;
  violations: { id: string; name: string; sources: (typeof SOURCES)[number][]; conditions: typeof CONDITIONS }[];
}

function randomItem(ms: number): Checked {
  const isEvent = random.next() < 0.8;
  const id = itemId(newRequestId(0, ms), 1);
  const violations = some(POLICIES, random.next() < 0.5 ? 0 : 0.3).map((policy) => {
    const sources = some(SOURCES, 0.6);
    return {
      ...policy,
      sources: sources.length > 0 ? sources : [random.pick(SOURCES)],
      conditions: isEvent ? some(CONDITIONS, 0.5) : [],
    };
  });
  const lost = random.next() < 0.1;
  // Checks that failed may count as flagged, though no policy has flagged them.
  const flagged = lost ? random.pick([null, true]) : violations.length > 0;
  return {
    id,
    // Of the name is an environment as well as a deployment.
    scope: random.pick(['prod', 'stage']),
    isEvent,
    ms,
    took: random.between(1, 120),
    flagged,
    gaps: random.next() < 0.2 ? 1 : 0,
    user: random.next() < 0.7 ? `u-${random.between(1, 8)}` : '',
    email: random.next() < 0.5 ? `${random.between(1, 4)}@example.org` : '',
    violations: lost ? [] : violations,
  };
}

function rowsOf({ id, scope, isEvent, ms, took, violations, ...item }: Checked, version: number): Buffer {
  const policies = POLICIES.map(({ id, name }) => {
    const of = violations.find((one) => one.id === id);
    const chosen = isEvent ? { enabled_by_conditions: of?.conditions ?? CONDITIONS } : {};
    return [id, { flagged: of !== undefined, name, ...chosen }];
  });
  const row: RowItem = rowItem(1, {
    userId: item.user,
    userEmail: item.email,
    flagged: item.flagged,
    runId: isEvent ? 'run-1' : '',
    verdict: {
      flagged: violations.length > 0,
      policies: JSON.stringify(Object.fromEntries(policies)),
      evaluated: POLICIES.map(({ id }) => id),
      severities: 'h'.repeat(POLICIES.length),
      violations: violations.map(({ id, name, sources }) => ({ id, name, sources, severity: 'high', evidence: [] })),
      notEvaluated: item.gaps,
      unknown: item.gaps,
      note: '',
    },
  });
  const kind = isEvent ? 'events' : 'session';
  const request = rowRequest({ id: id.slice(0, -1).concat('0'), kind, scope, received: ms, completed: ms + took });
  return unpackRows('1', encodeRows({ ...request, version }, [row])).bytes;
}

type Count = Pick<PastFigures['total'], 'checks' | 'flagged' | 'not_evaluated'>;
/** Figures without quantiles, which the engine knows but for half a percent. */
type Counts = Pick<PastFigures, 'groups'> & { total: Count; steps: ReadonlyMap<number, Count> };

/** As the API has them, of the items themselves. */
function figuresOf(items: readonly Checked[], filter: PastFilter, by: Split | undefined): Counts {
  const { seen, policy, source, condition, user } = filter;
  const chosen = items.filter(
    (item) =>
      (item.isEvent ? seen.environments : seen.deployments).includes(item.scope) &&
      (user === '' || item.user === user || item.email === user.toLowerCase()),
  );
  const told = (item: Checked) =>
    item.violations.filter(
      (one) =>
        (policy === '' || one.id === policy.toLowerCase() || shown(one.name) === shown(policy)) &&
        (source === '' || one.sources.some((is) => is === source)) &&
        (condition === '' || one.conditions.some(({ id }) => id === condition)),
    );
  const ofViolation = policy !== '' || source !== '' || condition !== '';
  const stepOf = ({ ms }: Checked): number => Math.floor((ms - filter.from) / MINUTE);
  const sumOf = (all: readonly Checked[]) => ({
    checks: all.length,
    flagged: all.filter((item) => (ofViolation ? told(item).length > 0 : item.flagged)).length,
    not_evaluated: all.filter(({ gaps, flagged }) => gaps > 0 || flagged === null).length,
  });
  const groupsOf = (item: Checked): (readonly [string, string])[] => {
    const found = told(item);
    if (by === 'policy') return found.map(({ id, name }) => [id, shown(name)]);
    if (by === 'source') return found.flatMap(({ sources }) => sources.map((is) => [is, is] as const));
    if (by === 'condition') return found.flatMap((one) => one.conditions.map(({ id, name }) => [id, name] as const));
    const whose = item.user || item.email;
    return by === 'user' && whose !== '' && found.length > 0 ? [[whose, whose]] : [];
  };
  const groups = new Map<string, { id: string; name: string; at: number[] }>();
  for (const item of chosen)
    for (const [id, name] of new Map(groupsOf(item))) {
      const group = groups.get(id) ?? { id, name, at: [] };
      groups.set(id, group);
      group.at.push(stepOf(item));
    }
  const ordered = [...groups.values()].sort((a, b) => b.at.length - a.at.length || (a.id < b.id ? -1 : 1));
  const steps = new Map<number, Checked[]>();
  for (const item of chosen) steps.set(stepOf(item), [...(steps.get(stepOf(item)) ?? []), item]);
  const counts = (at: readonly number[]): Map<number, number> =>
    new Map(at.map((step) => [step, at.filter((other) => other === step).length]));
  return {
    total: sumOf(chosen),
    steps: new Map([...steps].map(([step, all]) => [step, sumOf(all)])),
    groups: ordered.slice(0, 20).map(({ id, name, at }) => ({ id, name, flagged: at.length, steps: counts(at) })),
  };
}

/** In one order, and without what else there is. */
function comparable({ total, steps, groups }: Counts) {
  const counts = ({ checks, flagged, not_evaluated }: Count): Count => ({ checks, flagged, not_evaluated });
  const ordered = <T>(map: ReadonlyMap<number, T>): [number, T][] => [...map].sort(([a], [b]) => a - b);
  return {
    total: counts(total),
    steps: ordered(steps).map(([step, of]) => [step, counts(of)]),
    groups: groups.map(({ steps, ...rest }) => ({ ...rest, steps: ordered(steps) })),
  };
}

describe('figures of random items', async () => {
  const engine = await startTestClickHouse();
  const client = createHistoryClient({ url: engine.url, database: 'weir' });
  const asker = createAsker({ url: engine.url, database: 'weir' });
  const queries = createHistoryQueries(asker, { timeoutMs: 30_000 });
  after(async () => {
    await Promise.all([client.close(), asker.close()]);
    await engine.close();
  });
  const items: Checked[] = [];

  async function store(count: number): Promise<void> {
    for (let block = 0; block < 4; block++) {
      const made = Array.from({ length: count / 4 }, () => randomItem(START + random.between(0, STEPS * MINUTE - 1)));
      const replayed = made.filter(() => random.next() < 0.1);
      const failed = replayed.map((item) => ({ ...item, flagged: null, violations: [], gaps: 1 }));
      // What is replayed later has a higher version. What was archived twice is the same twice, also within other blocks.
      const again = made.filter((item) => !replayed.includes(item) && random.next() < 0.2);
      const first = made.map((item) => rowsOf(failed.find(({ id }) => id === item.id) ?? item, 1));
      await insertRows(client, ...first);
      await insertRows(client, ...again.map((item) => rowsOf(item, 1)), ...replayed.map((item) => rowsOf(item, 2)));
      items.push(...made);
    }
  }

  it('are the sums of the items, split in each way by each filter [history.figures]', async () => {
    const before = mkdtempSync(join(tmpdir(), 'weir-migrations-'));
    cpSync(join(packageRoot, 'shared/history/migrations'), before, { recursive: true });
    rmSync(join(before, '013_violation_sets.sql'));
    await migrate({ url: engine.url, database: 'weir', folder: before });
    rmSync(before, { recursive: true });
    // Without merges rows stay twice, and the sets of those from before are made as they are read.
    await client.command({ query: 'SYSTEM STOP MERGES items' });
    await store(400);
    await migrate({ url: engine.url, database: 'weir' });
    await store(400);
    await assertFigures(80);
    await client.command({ query: 'SYSTEM START MERGES items' });
    const erased = items.splice(0, 60);
    await client.command({
      query: 'ALTER TABLE items DELETE WHERE id IN {ids:Array(UUID)} SETTINGS mutations_sync = 2',
      query_params: { ids: erased.map(({ id }) => id) },
    });
    await assertFigures(50);
  });

  async function assertFigures(questions: number): Promise<void> {
    for (let i = 0; i < questions; i++) {
      const filter: PastFilter = {
        team: 'acme',
        seen: random.pick([
          { environments: ['prod', 'stage'], deployments: ['prod', 'stage'] },
          { environments: ['prod', 'stage'], deployments: ['prod'] },
          { environments: ['stage'], deployments: [] },
        ]),
        from: START,
        to: START + STEPS * MINUTE,
        policy: one([...POLICY_NAMES, ...POLICIES.map(({ id }) => id.toUpperCase()), 'Car', '.*']),
        source: one(SOURCES),
        condition: one([...CONDITIONS.map(({ id }) => id), 'al', 'all|image', 'Condition "all" + more']),
        user: random.next() < 0.3 ? random.pick(['u-1', 'u-2', '3@EXAMPLE.org']) : '',
        run: '',
        session: '',
      };
      const by = random.pick([undefined, ...SPLITS]);
      const [found, expected] = [
        await queries.pastFigures({ ...filter, stepMs: MINUTE, by }),
        figuresOf(items, filter, by),
      ];
      const text = JSON.stringify({ by, ...filter });
      assert.deepEqual(comparable(found), comparable(expected), text);
      if (found.total.checks > 0) assert.ok(found.total.p50_ms! >= 1 && found.total.p99_ms! <= 120, text);
      if (i % 4 > 0 || `${filter.policy}${filter.source}${filter.condition}` === '') continue;
      const listed: string[] = [];
      for (let before: string | undefined = ''; before !== undefined; ) {
        const page = await queries.pastItems({ ...filter, verdict: '', before, limit: 200 });
        listed.push(...page.items.map(({ id }) => id));
        before = page.next;
      }
      assert.equal(new Set(listed).size, listed.length, text);
      assert.equal(listed.length, expected.total.flagged, text);
    }
  }
});
