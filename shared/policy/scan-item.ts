/** Scans the text of an item, what is decoded of it, and where earlier texts meet it. */
import { placeOf } from './content/content.js';
import type { InBytes } from './engine/automaton.js';
import type { LongScans } from './engine/long-scans.js';
import { addFailed, type Finds, MAX_EVIDENCE, MAX_MORE } from './engine/scan.js';
import { isAscii } from './engine/views/views.js';
import type { ContextGroup, Selection, TeamPlan } from './plan.js';
import type { EventContent, Evidence } from './types.js';

export type Scanned = Pick<EventContent, 'text' | 'inBytes' | 'decoded' | 'redact' | 'scans'>;

/** Scans a text and what is decoded of it. Offsets of finds in the decoded text are moved to where it stands in the text. */
export function scanItem(
  team: TeamPlan,
  selection: Selection,
  { text, inBytes, decoded, redact: all, scans }: Scanned,
  context: readonly string[],
): Finds | undefined {
  const finds = scan(team, selection, { text, inBytes, context, all, scans });
  const more = decoded && scan(team, selection, { text: decoded.text, context, all, scans });
  if (!decoded || !more) return finds;
  for (const evidence of more.evidence.values()) for (const one of evidence) Object.assign(one, placeOf(decoded, one));
  if (!finds) return more;
  add(finds, more, all);
  return finds;
}

/** A text behind earlier ones; `all`: all finds in it are asked for. */
interface Behind {
  text: string;
  inBytes?: InBytes | undefined;
  context: readonly string[];
  all: boolean | undefined;
  scans: LongScans | undefined;
}

function scan(team: TeamPlan, selection: Selection, behind: Behind): Finds | undefined {
  const { text, inBytes, context, all: every, scans } = behind;
  const { groups } = selection;
  const how = { all: every, inBytes, scans };
  if (context.length === 0 || groups.length === 0) return team.engine.scan(text, selection.wanted, 0, how);
  let all = team.engine.scan(text, selection.alone, 0, how);
  for (const group of groups) {
    const finds = scanWithContext(team, group, behind);
    if (!all) all = finds;
    else if (finds) add(all, finds, every);
  }
  return all;
}

/**
 * Looks for finds that reach from earlier texts into `text`. Where their length has a bound, only the edge between the two is
 * scanned. That holds for ASCII alone: folding removes characters of other texts, so a find may span more of them.
 */
function scanWithContext(
  team: TeamPlan,
  { context: depth, reach, wanted }: ContextGroup,
  { text, context, all, scans }: Behind,
): Finds | undefined {
  const prefix = `${context.slice(-depth).join('\n')}\n`;
  if (Number.isFinite(reach)) {
    // One more character on either side tells whether a word continues.
    const edge = prefix.slice(-reach - 1) + text.slice(0, reach + 1);
    if (isAscii(edge)) {
      return team.engine.scan(edge, wanted, Math.min(prefix.length, reach + 1), { crossing: true, all });
    }
  }
  return team.engine.scan(prefix + text, wanted, prefix.length, { all, scans });
}

/** Finds that are known are dropped where there are few of them. Marks over the same place become one anyway. */
const FEW = 64;

function add(all: Finds, more: Finds, every: boolean | undefined): void {
  const most = every ? MAX_EVIDENCE + MAX_MORE : MAX_EVIDENCE;
  for (const [detector, evidence] of more.evidence) {
    const known = all.evidence.get(detector);
    if (!known) all.evidence.set(detector, evidence);
    else {
      const isKnown = (one: Evidence): boolean => known.some(({ start, end }) => start <= one.start && end >= one.end);
      const fresh = known.length > FEW ? evidence : evidence.filter((one) => !isKnown(one));
      for (const one of fresh.slice(0, most - known.length)) known.push(one);
    }
  }
  addFailed(all, more);
  if (more.over) all.over = true;
}

/** The finds that evidence has. */
export function firstOf(finds: Finds | undefined): Finds | undefined {
  if (!finds) return undefined;
  const first = [...finds.evidence].map(([detector, all]) => [detector, all.slice(0, MAX_EVIDENCE)] as const);
  return { ...finds, evidence: new Map(first) };
}
