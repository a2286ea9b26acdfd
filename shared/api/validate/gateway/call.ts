/**
 * Gateways send what they are about to send to a model, or have received from one, each in an envelope of its own. It is written here as
 * a call of the generic guardrail, which has a reader (`../guardrail/check.ts`), with the ways back from there.
 */
import { eachMember, isNamed, skipValue, sourceAt } from '../../../json.js';
import { CONVERSATION } from '../../checked-messages.js';
import { LIMITS } from '../../limits.js';
import type { About } from '../guardrail/about.js';
import { type Checks, checkOf } from '../guardrail/check.js';
import { written } from '../guardrail/parts.js';
import type { GuardrailInputType, Message } from '../guardrail/roles.js';
import { stringsOf } from '../guardrail/standing.js';
import { createIssues, type Issues, type Validation } from '../issues.js';
import { mediaWithin } from '../media-within.js';
import type { TextLimits } from '../validate.js';

/** `json`: the body as sent. */
export type GatewayReader = (body: unknown, json: string, how: { checks: Checks } & TextLimits) => Validation;

/** Steps from the body of a gateway to a value in it. */
export type Way = readonly (string | number)[];

/** A value of the body: as it was read, and where its JSON begins. */
export interface SentValue {
  value: unknown;
  at: number;
  way: Way;
}

/** A message of the call, and how to get back from it. */
interface WrittenMessage {
  json: string;
  value: Message;
  way: Way;
  /** it was made of what is now its content: there is no such step in the body */
  isContent: boolean;
}

/** A call that is being written. */
export interface CallWriter {
  readonly input: GuardrailInputType;
  readonly json: string;
  readonly messages: readonly WrittenMessage[];
  /** Adds a message as it was sent; `as`: whose it is, whatever it says. */
  message(sent: SentValue, as?: string): void;
  /** Adds what is said without a message around it. */
  said(sent: SentValue, role: string): void;
  /** Adds what is checked beside the messages, such as tools: all names and values in it. `name`: it is a member of that name. */
  beside(sent: SentValue, name?: string): void;
  readonly others: readonly { json: string; value: unknown }[];
  /** Refuses what nobody here can read. */
  refuse(sent: SentValue, why: string): void;
  /** every message is checked, not only the newest turn */
  whole: boolean;
}

/** `json`: of the body. `base`: leads to what is read of it. */
export function createCall(json: string, input: GuardrailInputType, base: Way, issues: Issues): CallWriter {
  const messages: WrittenMessage[] = [];
  const others: { json: string; value: unknown }[] = [];
  const source = (at: number): string => json.slice(at, skipValue(json, at));
  const isRoom = (list: readonly unknown[]): boolean => {
    if (list.length < LIMITS.guardrailElements) return true;
    issues.add(pathOf(base), 'too_many', `expected at most ${LIMITS.guardrailElements} messages, and as many tools`);
    return false;
  };
  return {
    input,
    json,
    messages,
    others,
    whole: false,
    refuse: ({ way }, why) => issues.add(pathOf(way), 'unsupported_content_part', why),
    message({ value, at, way }, as) {
      if (!isRoom(messages)) return;
      const sent = value as Message;
      const made =
        as === undefined
          ? { json: source(at), value: sent }
          : { json: withRole(json, at, as), value: { ...sent, role: as } };
      messages.push({ ...made, way, isContent: false });
    },
    said({ value, at, way }, role) {
      if (!isRoom(messages)) return;
      const made = `{"role":"${role}","content":${source(at)}}`;
      messages.push({ json: made, value: { role, content: value }, way, isContent: true });
    },
    beside({ value, at, way }, name) {
      if (!isRoom(others)) return;
      const own = source(at);
      const media = mediaWithin(value, own);
      if (name !== 'tools' && media.images + media.files > 0) {
        issues.add(pathOf(way), 'unsupported_content_part', 'an image or a file here cannot be checked');
      }
      others.push(
        name === undefined
          ? { json: own, value }
          : { json: `{${JSON.stringify(name)}:${own}}`, value: { [name]: value } },
      );
    },
  };
}

/** JSON of the object at `at` with another role. */
function withRole(json: string, at: number, role: string): string {
  let members = '';
  eachMember(json, at, (start, name) => {
    const end = skipValue(json, start);
    if (!isNamed(json, name, 'role')) members += `,${json.slice(name, end)}`;
    return end;
  });
  return `{"role":"${role}"${members}}`;
}

/** A way as paths of issues write it. */
export const pathOf = (way: Way): string => written(way).replace(/^\./, '');

/** What a check of a written call needs beside it. */
export interface CallCheck {
  call: CallWriter;
  /** leads to `sent` */
  base: Way;
  /** where the JSON begins that is given back with marks where policies redact; absent: nothing is */
  sent?: number;
  checks: Checks;
  /** an answer at the end is checked with what it answers */
  turns?: boolean;
  about: About;
  messageBytes: number;
  issues: Issues;
}

/** The check of a call; its issues have the paths of the body. */
export function checkOfCall({ call, base, sent, issues, ...how }: CallCheck): Validation {
  const { messages, others, input, json } = call;
  const marked = how.checks !== 'newest';
  const checks = call.whole ? 'all' : how.checks;
  const places = marked ? messages.flatMap(({ value }, i) => stringsOf(value, i)) : [];
  const own = createIssues();
  const value = checkOf({
    ...how,
    checks,
    body: {
      texts: places.map(({ text }) => text),
      structured_messages: messages.map((one) => one.value),
      tools: others.map((one) => one.value),
      input_type: input,
    },
    json: `{"${CONVERSATION}":[${messages.map(({ json }) => json).join(',')}],"tools":[${others.map(({ json }) => json).join(',')}]}`,
    issues: own,
  });
  const asSent = (path: string): string => {
    const [, number, rest = ''] = MESSAGE.exec(path) ?? [];
    const message = number === undefined ? undefined : messages[Number(number)];
    if (!message) return LISTS.test(path) ? pathOf(base) : path;
    return `${pathOf(message.way)}${message.isContent ? rest.replace(/^\.content/, '') : rest}`;
  };
  for (const { path, code, message } of own.list) issues.add(asSent(path), code, message);
  if (issues.list.length > 0) return { ok: false, issues: issues.list };
  const listed = value.listed!;
  const ways = places.map(({ message, path }): Way => {
    const { way, isContent } = messages[message]!;
    return [...way.slice(base.length), ...(isContent ? path.slice(1) : path)];
  });
  return {
    ok: true,
    value: {
      ...value,
      listed: { ...listed, images: listed.images.map(asSent) },
      ...(marked
        ? { asked: { of: 'gateway', sent: sent === undefined ? '' : sourceAt(json, sent), side: input, ways } }
        : {}),
    },
  };
}

const MESSAGE = new RegExp(`^${CONVERSATION}\\[(\\d+)\\](.*)$`);
const LISTS = new RegExp(`^(?:${CONVERSATION}|tools|texts|images)\\b`);
