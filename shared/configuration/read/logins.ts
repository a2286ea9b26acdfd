/** Reads `logins`: which groups of the identity provider may do what. */
import { LOGIN_ROLES, type LoginConfiguration } from '../logins.js';
import { type Cursor, choiceOf, complain, fieldsOf, ID_RULE, isAbsent, listOf, readOwner, textOf } from './fields.js';

const MOST_NAMES = 1000;
const GROUP_RULE = { max: 256, pattern: /^\S(?:.*\S)?$/, expected: 'the name of a group, without space around it' };

/** A version that is stored has empty lists. */
const isNothing = (cursor: Cursor): boolean =>
  isAbsent(cursor) || (Array.isArray(cursor.value) && cursor.value.length === 0);

export function readLogin(cursor: Cursor): LoginConfiguration | undefined {
  const fields = fieldsOf(cursor, ['group', 'team', 'role', 'environments', 'deployments']);
  if (!fields) return undefined;
  const role = choiceOf(fields.get('role'), LOGIN_ROLES);
  const names = (field: string): string[] => [
    ...new Set(listOf(fields.get(field), MOST_NAMES, (item) => textOf(item, ID_RULE))),
  ];
  if (role === 'operator') {
    for (const name of ['team', 'environments', 'deployments'])
      if (!isNothing(fields.get(name)))
        complain(fields.get(name), 'expected nothing here: an operator belongs to no team');
  }
  return {
    group: textOf(fields.get('group'), GROUP_RULE),
    team: role === 'operator' ? null : readOwner(fields),
    role,
    environments: role === 'operator' ? [] : names('environments'),
    deployments: role === 'operator' ? [] : names('deployments'),
  };
}
