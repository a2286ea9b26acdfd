/**
 * What is checked of a message. All that one side tells the other is content, but for what the protocol itself needs. Which field of an event
 * it goes into follows from the method:
 *
 *     tools/call                from the client: tool.arguments   its result: tool.output
 *     tools/list and other lists                                  each entry: tool.definition
 *     initialize, server/discover                                 agent.instructions
 *     sampling/createMessage    from the server: agent.input      its result: agent.output
 *     all others                from the client: tool.arguments   from the server: tool.output
 */
import { LIMITS } from '../../../shared/api/limits.js';
import type { EventInput } from '../../../shared/api/types.js';
import { takeMedia } from './media.js';
import { isMcpObject, type McpMessage, type McpObject, type McpSide } from './message.js';

/** A thing that is checked by itself. */
export interface McpLook {
  /** without ids and metadata */
  events: EventInput[];
  /** of an entry of a list: its position there */
  entry?: number;
  /** what of it Weir has no look at, in words */
  unlooked: string[];
}

/** Results that are lists: each entry is checked by itself. */
const LISTS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

const INTRODUCTIONS = ['initialize', 'server/discover'];

/** Members of the protocol without content, where they are as short and plain as these are. */
const PLAIN_MEMBERS = new Set(
  'cursor nextCursor requestId taskId progressToken progress total protocolVersion level resultType ttlMs cacheScope'.split(
    ' ',
  ),
);
const PLAIN = /^[\w.:=+/-]{0,512}$/;
const isPlain = (value: unknown): boolean =>
  typeof value === 'string' ? PLAIN.test(value) : typeof value === 'number' || typeof value === 'boolean';

/** Methods of the protocol and of its extensions. Any other one may say something. */
const METHOD = /^[a-z]{1,20}(?:\/[a-z_]{1,24}){0,3}$/i;

/** A method as it may be told. */
export const methodTold = (method: string): string => (METHOD.test(method) ? method : 'other');

/** Names of tools as the protocol has them. Any other name is checked, too. */
const NAME = /^[\w./:-]{1,128}$/;

/** Where the entries of a result are, if it is a list of them. */
export function entriesOf(method: string, result: unknown): { name: string; entries: unknown[] } | undefined {
  const name = LISTS[method];
  if (name === undefined || !isMcpObject(result) || !Array.isArray(result[name])) return undefined;
  return { name, entries: result[name] };
}

/** `method`: of the message, or of the request that it answers; '' where that is not known. `name`: of the tool that was called. */
export function looksOf(
  message: McpMessage,
  { side, method, name }: { side: McpSide; method: string; name?: string },
): McpLook[] {
  const isAnswer = message.kind === 'response';
  const all = isAnswer ? (message.error ?? message.result) : message.params;
  const list = side === 'server' && isAnswer ? entriesOf(method, message.result) : undefined;
  const looks: McpLook[] = [];
  let rest = list && isMcpObject(all) ? { ...all, [list.name]: undefined } : all;
  for (const [entry, value] of list?.entries.entries() ?? []) {
    const look = lookAt(value, { type: 'tool', field: 'definition', name: nameIn(value) });
    if (look) looks.push({ ...look, entry });
  }
  // Servers get the arguments of a call as they are; policies for arguments need no more of it where there is no more.
  // Members of arguments are content, whatever they are called.
  const isCall = side === 'client' && method === 'tools/call' && message.kind === 'request';
  if (message.method !== undefined && !METHOD.test(message.method)) rest = { method: message.method, params: rest };
  const look = lookAt(isCall ? argumentsOf(rest) : withoutPlain(rest, side), {
    ...placeOf(side, method, isAnswer),
    name: name ?? nameIn(message.params),
  });
  if (look) looks.push(look);
  return looks;
}

interface LookPlace {
  type: 'tool' | 'agent';
  field: 'arguments' | 'output' | 'definition' | 'input' | 'instructions';
  name?: string | undefined;
}

function placeOf(side: McpSide, method: string, isAnswer: boolean): LookPlace {
  if (method === 'sampling/createMessage') return { type: 'agent', field: isAnswer ? 'output' : 'input' };
  if (INTRODUCTIONS.includes(method) && isAnswer) return { type: 'agent', field: 'instructions' };
  return { type: 'tool', field: side === 'client' ? 'arguments' : 'output' };
}

/** The arguments alone, where the call has nothing else that could be content. */
function argumentsOf(params: unknown): unknown {
  const rest = withoutPlain(params, 'client');
  if (!isMcpObject(rest)) return rest;
  const { name, arguments: given, ...more } = rest;
  return typeof name === 'string' && NAME.test(name) && Object.keys(more).length === 0 ? given : rest;
}

/** Without members of the protocol. What programs say of themselves in `_meta` counts as content of servers only. */
function withoutPlain(value: unknown, side: McpSide): unknown {
  if (!isMcpObject(value)) return value;
  const { _meta: meta, ...members } = value;
  const rest: McpObject = Object.fromEntries(
    Object.entries(members).filter(
      ([name, inner]) => inner !== undefined && !(PLAIN_MEMBERS.has(name) && isPlain(inner)),
    ),
  );
  const told = isMcpObject(meta)
    ? Object.entries(meta).filter(([name, inner]) => {
        if (name.startsWith('io.modelcontextprotocol/') && side === 'client') return false;
        return !(name === 'progressToken' || name.endsWith('/subscriptionId')) || !isPlain(inner);
      })
    : [];
  if (told.length > 0) rest._meta = Object.fromEntries(told);
  else if (meta !== undefined && !isMcpObject(meta)) rest._meta = meta;
  return rest;
}

/** Undefined where there is nothing to look at. */
function lookAt(value: unknown, { type, field, name }: LookPlace): McpLook | undefined {
  if (isEmpty(value)) return undefined;
  const { value: text, images, unlooked } = takeMedia(value);
  // Fields of agents are texts or JSON; a number alone is neither.
  const content = typeof text === 'number' || typeof text === 'boolean' ? String(text) : text;
  const size = Buffer.byteLength(JSON.stringify(content));
  if (size > LIMITS.contentBytes) unlooked.push(`more than ${LIMITS.contentBytes / 1024} KiB of text`);
  const named = name === undefined ? {} : { name: name.slice(0, LIMITS.nameCharacters) };
  const events: EventInput[] = size > LIMITS.contentBytes ? [] : [{ type, [field]: content, ...named }];
  for (const image of images) {
    if (image.data.length > LIMITS.contentBytes)
      unlooked.push(`an image of more than ${LIMITS.contentBytes / 1024} KiB`);
    else events.push({ type: 'artifact', content: { kind: 'image', ...image } });
  }
  return { events, unlooked };
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

function nameIn(value: unknown): string | undefined {
  if (!isMcpObject(value)) return undefined;
  const { name, uri } = value;
  return typeof name === 'string' ? name : typeof uri === 'string' ? uri : undefined;
}
