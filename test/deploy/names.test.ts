import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { sharedNames, sourcesBelow } from '../../deploy/names.mjs';

const found = (texts: Record<string, string>): string[] => sharedNames(Object.entries(texts));

describe('names of types', () => {
  it('are told with their places where an exported one is declared elsewhere, too', () => {
    const [told, ...more] = found({
      'a.ts': 'const a = 1;\nexport interface Outcome {}',
      'b.ts': 'type Outcome = string;',
      'c.ts': 'export abstract class Other {}',
    });
    assert.match(told!, /^Outcome is exported, .*: a\.ts:2, b\.ts:1\./);
    assert.deepEqual(more, []);
  });

  it('are told where more than two local types have one', () => {
    const two = { 'a.ts': 'interface Row {}', 'b.ts': 'class Row {}' };
    assert.deepEqual(found(two), []);
    assert.match(
      found({ ...two, 'c.ts': 'type Row = 1;' })[0]!,
      /^Row is the name of more than 2 types: a\.ts:1, b\.ts:1, c\.ts:1\./,
    );
  });

  it('are those that modules declare, not those within functions or from elsewhere', () => {
    const declared = 'export interface Row {}';
    const others =
      "import type { Row } from './a.js';\nexport type { Row } from './a.js';\nfunction f() {\n  type Row = 1;\n}\n";
    assert.deepEqual(found({ 'a.ts': declared, 'b.ts': others }), []);
  });

  it('are read from all sources, and none is shared', () => {
    const sources = sourcesBelow(packageRoot);
    assert.match(sources.get('workers/evaluator/draft.ts') ?? '', /^export interface Draft /m);
    assert.deepEqual(sharedNames(sources), []);
  });
});
