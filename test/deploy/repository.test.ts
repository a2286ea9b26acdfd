/** Files that the host of the repository and editors read, held against what they speak of. */
import assert from 'node:assert/strict';
import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { packageRoot } from '#weir/shared/paths';

const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8');

interface Form {
  name: string;
  description: string;
  body: { id?: string; attributes: { label?: string } }[];
}

describe('the repository', () => {
  it('has a workflow that runs what must hold, on the Node of .nvmrc', () => {
    const { jobs } = parse(read('.github/workflows/check.yml')) as {
      jobs: { check: { steps: { run?: string; with?: Record<string, string> }[] } };
    };
    assert.ok(jobs.check.steps.some(({ run }) => run === '.ci/run'));
    accessSync(join(packageRoot, '.ci/run'), constants.X_OK);
    const node = jobs.check.steps.find((step) => step.with?.['node-version-file'] !== undefined);
    const version = read(node!.with!['node-version-file']!).trim();
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    assert.equal(version, /^>=(\d+)\./.exec(engines.node)?.[1], 'the oldest that is supported');
  });

  it('has issue forms whose questions are named once each', () => {
    for (const name of ['bug', 'feature']) {
      const form = parse(read(`.github/ISSUE_TEMPLATE/${name}.yml`)) as Form;
      assert.ok(form.name && form.description, name);
      const asked = form.body.filter(({ id }) => id !== undefined);
      assert.ok(asked.length > 0, name);
      assert.equal(new Set(asked.map(({ id }) => id)).size, asked.length, name);
      assert.ok(
        asked.every(({ attributes }) => attributes.label),
        name,
      );
    }
  });

  it('tells editors what the formatter enforces', () => {
    const { formatter } = JSON.parse(read('biome.json')) as {
      formatter: { indentStyle: string; indentWidth: number; lineWidth: number };
    };
    const told = Object.fromEntries(
      read('.editorconfig')
        .split('\n')
        .flatMap((line) => (/^\w+ = /.test(line) ? [line.split(' = ')] : [])),
    );
    assert.equal(told.indent_style, formatter.indentStyle);
    assert.equal(told.indent_size, String(formatter.indentWidth));
    assert.equal(told.max_line_length, String(formatter.lineWidth));
  });
});
