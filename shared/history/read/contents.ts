/** Reads the content of items, as long as it is kept. */
import type { RecordOwner } from '../../api/results/record.js';
import { partsOf } from '../../ids.js';
import type { Ask } from './ask.js';
import { AT_PLACES, placeOf, placesOf } from './items.js';

export interface ContentQueries {
  /** By id; without those whose content is not there. A string as it was sent, JSON without space, of a chat the text that was checked. */
  contents(owner: RecordOwner, ids: readonly string[]): Promise<Map<string, string>>;
}

interface ContentRow {
  item: string;
  version: number;
  content: string;
}

const CONTENTS = `SELECT toString(id) AS item, version, content FROM contents ${AT_PLACES}`;

export function contentQueries({ bounded, select }: Ask): ContentQueries {
  return {
    async contents({ team, scope }, ids) {
      const places = ids.filter((id) => partsOf(id) !== undefined).map(placeOf);
      if (places.length === 0) return new Map();
      const parameters = { team, scope, places: placesOf(places) };
      const rows = await bounded(team, (signal) => select<ContentRow>(CONTENTS, parameters, signal));
      // The highest version is the last one that is put in.
      rows.sort((a, b) => a.version - b.version);
      return new Map(rows.flatMap(({ item, content }) => (content === '' ? [] : [[item, content] as const])));
    },
  };
}
