/** Judges stored items by a configuration, as a worker judged them when they came. */
import type { CheckKind, EventType } from '../../../shared/api/types.js';
import { compact, looksLikeJson } from '../../../shared/json.js';
import { type ContentReading, createReader, readString } from '../../../shared/policy/content/content.js';
import { evaluateEvent, evaluateSession } from '../../../shared/policy/evaluate.js';
import type { Plan } from '../../../shared/policy/plan.js';
import type { Verdict } from '../../../shared/policy/types.js';
import { keptMetadata, readContent } from '../kinds/events/content.js';

/** An item with its content. */
export interface ItemAsStored {
  kind: CheckKind;
  type: string;
  field: string;
  role: string;
  name: string;
  team: string;
  scope: string;
  content: string;
  /** JSON, or empty */
  metadata: string;
}

/** What cannot be told from the item itself. */
export interface ItemSurroundings {
  /** earlier texts of the conversation, oldest first */
  context: readonly string[];
  /** policies that the caller of a session named; absent: all */
  restrict?: readonly string[] | undefined;
}

/**
 * How the content may have been read. A string is stored as it is, and JSON without space, so a string of such JSON looks the same. The
 * text of a session is stored without the parts that it had.
 */
export function readingsOf({
  kind,
  content,
}: Pick<ItemAsStored, 'kind' | 'content'>): readonly [ContentReading, ContentReading?] {
  if (kind === 'session') {
    const lines = content.split('\n');
    if (lines.length === 1 || !lines.some(looksLikeJson)) return [readString(content)];
    const reader = createReader();
    for (const line of lines) reader.string(line);
    return [readString(content), reader.done()];
  }
  return isCompactJson(content) ? [readContent(content, false), readString(content)] : [readString(content)];
}

function isCompactJson(content: string): boolean {
  if (content[0] !== '{' && content[0] !== '[') return false;
  try {
    JSON.parse(content);
  } catch {
    return false;
  }
  return compact(content) === content;
}

/** Throws a RangeError where the plan has no such team or scope. */
export function judge(
  plan: Plan,
  item: ItemAsStored,
  reading: ContentReading,
  { context, restrict }: ItemSurroundings,
): Verdict {
  const { kind, team, scope, role } = item;
  if (kind === 'session') {
    const direction = role === 'assistant' ? 'output' : 'input';
    return evaluateSession(plan, { team, deployment: scope, restrict }, { direction, ...reading }, context);
  }
  const { type, field, name, metadata } = item;
  const { value } = keptMetadata(metadata);
  const content = { type: type as EventType, field, role, name, ...reading, metadata: value };
  return evaluateEvent(plan, { team, environment: scope }, content, context);
}

/** Whether the plan has the scope of the item. */
export function hasScope(plan: Plan, { kind, team, scope }: Pick<ItemAsStored, 'kind' | 'team' | 'scope'>): boolean {
  const of = plan.teams.get(team);
  return (kind === 'session' ? of?.deployments : of?.environments)?.has(scope) ?? false;
}
