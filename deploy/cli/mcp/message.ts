/** Messages of the Model Context Protocol (JSON-RPC 2.0), as they come over a line, a body or an event of a stream. */
import { repeatsNames } from '../../../shared/api/validate/repeated.js';
import { eachElement, readTokens, skipValue, sourceTo, valueStart } from '../../../shared/json.js';

export type McpId = string | number;

/** Who has sent a message. */
export type McpSide = 'client' | 'server';

export type McpObject = Record<string, unknown>;

/** A message, which is a request, a notification or a response. */
export interface McpMessage {
  kind: 'request' | 'notification' | 'response';
  /** of a response `null` where its sender could not read the request */
  id?: McpId | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

/** A message, and the JSON that it was made of, which is handed on. */
export interface McpUnit {
  source: string;
  message: McpMessage;
  /** as `message`, but numbers that a program would round are texts: they are checked as they were written */
  exact: McpMessage;
}

/** What was sent at once. `error`: what is wrong with it, for its sender; `id`: of the message, where it can be told. */
export type McpRead = { units: McpUnit[]; isBatch: boolean } | { error: McpObject; id: McpId | null };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
/** Of this proxy: a message was stopped. Codes from -32000 to -32019 are free for implementations. */
export const STOPPED = -32000;

/** Messages that a batch of old versions of the protocol may have. */
const MOST_IN_BATCH = 100;
const MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

export const isMcpObject = (value: unknown): value is McpObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is McpId => typeof value === 'string' || typeof value === 'number';

/** Reads a text that is one message or a batch of them. */
export function readMessages(text: string): McpRead {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { error: { code: PARSE_ERROR, message: 'This is not JSON.' }, id: null };
  }
  // What reads the last of two members here, and the first one there, was not checked.
  if (repeatsNames(text)) return invalid(value, 'An object of it has a name twice.');
  const exact = exactly(text, value);
  if (!Array.isArray(value)) {
    const [message, other] = [messageIn(value), messageIn(exact)];
    if (!message || !other) return invalid(value, 'This is no message of JSON-RPC 2.0.');
    return { units: [{ source: text, message, exact: { ...other, id: message.id } }], isBatch: false };
  }
  if (value.length === 0 || value.length > MOST_IN_BATCH) {
    return invalid(value, `Expected 1 to ${MOST_IN_BATCH} messages in a batch.`);
  }
  const units: McpUnit[] = [];
  eachElement(text, valueStart(text), (index, at) => {
    const end = skipValue(text, at);
    const source = sourceTo(text, at, end);
    const [message, other] = [messageIn(value[index]), messageIn((exact as unknown[])[index])];
    if (message && other) units.push({ source, message, exact: { ...other, id: message.id } });
    return end;
  });
  if (units.length < value.length) return invalid(value, 'A member of the batch is no message of JSON-RPC 2.0.');
  return { units, isBatch: true };
}

function invalid(value: unknown, message: string): McpRead {
  const id = isMcpObject(value) && isId(value.id) ? value.id : null;
  return { error: { code: INVALID_REQUEST, message }, id };
}

/** The value, with numbers as texts where JavaScript would write them in another way. */
function exactly(json: string, value: unknown): unknown {
  let [quoted, from] = ['', 0];
  readTokens(json, (text, kind, start, end) => {
    if (kind !== 'number' || String(Number(text)) === text) return;
    quoted += `${json.slice(from, start)}"${text}"`;
    from = end;
  });
  return from === 0 ? value : JSON.parse(quoted + json.slice(from));
}

function messageIn(value: unknown): McpMessage | undefined {
  if (!isMcpObject(value) || value.jsonrpc !== '2.0') return undefined;
  // Programs ignore other members, and nothing would look at them.
  if (Object.keys(value).some((name) => !MEMBERS.has(name))) return undefined;
  const { id, method, params, result, error } = value;
  const answers = [result, error].filter((each) => each !== undefined).length;
  if (typeof method === 'string') {
    if (answers > 0 || (id !== undefined && !isId(id))) return undefined;
    return id === undefined ? { kind: 'notification', method, params } : { kind: 'request', id, method, params };
  }
  if (method !== undefined || params !== undefined || answers !== 1) return undefined;
  if (!isId(id) && !(error !== undefined && (id === undefined || id === null))) return undefined;
  return { kind: 'response', id: id ?? null, result, error };
}

export const writeResult = (id: McpId, result: McpObject): string => JSON.stringify({ jsonrpc: '2.0', id, result });

export const writeError = (id: McpId | null, error: McpObject): string => JSON.stringify({ jsonrpc: '2.0', id, error });
