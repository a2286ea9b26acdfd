/** Names that stand where ids do. They are read as they are, and become ids once all that has a name is known. */
import type { ModerationsCategory } from '../../api/dialects/moderations.js';
import { isUuid } from '../../ids.js';
import type { Configuration } from '../types.js';
import { type Cursor, clip, type FindingsReport, ID_RULE, NAME_RULE, readUuid, suggestion, textOf } from './fields.js';
import type { ConfigurationPath } from './source.js';

const NAMED = { ...NAME_RULE, expected: 'an id or a name of 1 to 256 characters' };

/** The UUID of a policy or a metric, or its name. A version that is stored has no names. */
export function readListed(cursor: Cursor): string {
  if (!cursor.report.short) return readUuid(cursor);
  const text = textOf(cursor, NAMED);
  return isUuid(text) ? text.toLowerCase() : text;
}

/** The id of a deployment, or its name. */
export const readNamed = (cursor: Cursor): string => textOf(cursor, cursor.report.short ? NAMED : ID_RULE);

/** Something that has a name. */
interface NamedThing {
  id: string;
  team: string;
  name: string;
}

/** Finds things by what a file calls them. */
export interface NameIndex {
  /** The id of what `team` calls `text`, or why there is none. */
  find(text: string, team: string): { id: string } | { problem(): string };
}

const MOST_SHOWN = 5;

/** `what`: a noun for messages. */
export function indexNames(what: string, list: readonly NamedThing[]): NameIndex {
  const ids = new Map<string, Set<string>>();
  const names = new Map<string, string[]>();
  const nameOf = (team: string, name: string): string => JSON.stringify([team, name]);
  for (const { id, team, name } of list) {
    ids.set(id, (ids.get(id) ?? new Set()).add(team));
    const key = nameOf(team, name);
    names.set(key, [...(names.get(key) ?? []), id]);
  }
  return {
    find(text, team) {
      const named = names.get(nameOf(team, text)) ?? [];
      const shown = clip(text);
      if (ids.has(text)) {
        if (named.every((id) => id === text)) return { id: text };
        return { problem: () => `"${shown}" is the id of one ${what} and the name of another: change one of the two` };
      }
      if (named.length === 1) return { id: named[0]! };
      if (named.length > 1) {
        const some = named.slice(0, MOST_SHOWN).join(', ');
        return {
          problem: () => `the name "${shown}" stands ${named.length} times: write the id of the ${what}, of ${some}`,
        };
      }
      // An id of nothing is told where references are checked.
      if (isUuid(text)) return { id: text };
      const problem = (): string => {
        const own = list.filter((each) => each.team === team);
        const known = new Set(own.flatMap(({ id, name }) => (isUuid(id) ? [name] : [id, name])));
        return `there is no ${what} "${shown}"${suggestion(text, [...known])}`;
      };
      return { problem };
    },
  };
}

/** Puts ids where names stand. */
export function resolveNames(configuration: Configuration, report: FindingsReport): void {
  if (!report.short) return;
  const indexes = {
    policies: indexNames('policy', configuration.policies),
    metrics: indexNames('metric', configuration.metrics),
    deployments: indexNames('deployment', configuration.deployments),
  };
  const idAt = (index: NameIndex, path: ConfigurationPath, text: string, team: string): string => {
    // What is no text was told when it was read.
    const found = text === '' ? { id: text } : index.find(text, team);
    if ('id' in found) return found.id;
    report.add(path, found.problem);
    return text;
  };
  const resolved = (index: NameIndex, path: ConfigurationPath, texts: readonly string[], team: string): string[] => [
    ...new Set(texts.map((text, i) => idAt(index, [...path, i], text, team))),
  ];
  const listed = (path: ConfigurationPath, team: string, by: { policies: string[]; metrics: string[] }): void => {
    by.policies = resolved(indexes.policies, [...path, 'policies'], by.policies, team);
    by.metrics = resolved(indexes.metrics, [...path, 'metrics'], by.metrics, team);
  };
  configuration.deployments.forEach((each, i) => {
    listed(['deployments', i], each.team, each);
    for (const [category, policies] of Object.entries(each.moderations ?? {})) {
      const path = ['deployments', i, 'moderations', category];
      each.moderations![category as ModerationsCategory] = resolved(indexes.policies, path, policies, each.team);
    }
  });
  configuration.environments.forEach(({ team, conditions }, i) => {
    conditions.forEach((each, j) => {
      listed(['environments', i, 'conditions', j], team, each);
    });
  });
  configuration.notify.forEach((hook, i) => {
    if (hook.policies) hook.policies = resolved(indexes.policies, ['notify', i, 'policies'], hook.policies, hook.team);
  });
  configuration.keys.forEach((key, i) => {
    const { default_deployment: fallback } = key;
    const team = key.team ?? '';
    key.deployments = resolved(indexes.deployments, ['keys', i, 'deployments'], key.deployments, team);
    if (fallback !== null) {
      key.default_deployment = idAt(indexes.deployments, ['keys', i, 'default_deployment'], fallback, team);
    }
  });
}
