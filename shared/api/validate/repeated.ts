/**
 * Finds names that stand twice in an object. `JSON.parse` keeps the last member of a name and drops the others without a word, and
 * other readers of JSON keep the first: what one of them checks, the next does not see.
 */

import { eachElement, eachMember, isFieldName, nameOf, skipValue, valueStart } from '../../json.js';
import { LIMITS } from '../limits.js';
import { hasEachNameOnce } from '../read/walk.js';
import type { Issue } from '../types.js';
import { createIssues, type Issues } from './issues.js';

/** The names that stand twice in an object of a body; `json`: what its bytes say, which is JSON. */
export function repeatedNames(body: Buffer, json: string): Issue[] {
  if (hasEachNameOnce(body)) return [];
  const issues = createIssues();
  read(json, { at: valueStart(json), path: '', level: 1 }, issues);
  return issues.list;
}

/** Whether an object in `json`, which is JSON, has a name twice. */
export const repeatsNames = (json: string): boolean => repeatedNames(Buffer.from(json), json).length > 0;

interface ObjectAt {
  at: number;
  path: string;
  /** the body is on level 1 */
  level: number;
}

/** Returns the position behind the value. Deeper levels than a body may have are not read. */
function read(json: string, value: ObjectAt, issues: Issues): number {
  const first = json[value.at];
  if (value.level > LIMITS.jsonDepth || issues.full()) return skipValue(json, value.at);
  if (first === '{') return readMembers(json, value, issues);
  if (first !== '[') return skipValue(json, value.at);
  const { path } = value;
  return eachElement(json, value.at, (index, at) =>
    read(json, { at, path: `${path}[${index}]`, level: value.level + 1 }, issues),
  );
}

function readMembers(json: string, { at: start, path, level }: ObjectAt, issues: Issues): number {
  const names = new Set<string>();
  let number = 0;
  return eachMember(json, start, (at, nameAt) => {
    const name = nameOf(json, nameAt);
    const inner = pathOf(path, name);
    number++;
    if (names.has(name)) issues.add(inner, 'repeated', messageFor(name, number));
    names.add(name);
    return read(json, { at, path: inner, level: level + 1 }, issues);
  });
}

/** A name that may be content is not told: its place is. */
const messageFor = (name: string, number: number): string =>
  isFieldName(name)
    ? 'stands twice in its object, expected each name once'
    : `has a name twice, at its member number ${number}; expected each name once`;

function pathOf(path: string, name: string): string {
  if (!isFieldName(name)) return path;
  return path === '' ? name : `${path}.${name}`;
}
