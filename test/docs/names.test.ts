/** What the documents name: settings, metrics, commands of `weir` with their options. Each must exist. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { run } from '#weir/deploy/cli/main';
import { packageRoot } from '#weir/shared/paths';
import { blocksOf, type Page, USER_PAGES } from './pages.ts';

const CODE = /\.(?:ts|mjs|mts|lua|sql|yaml|yml|sh|py|tpl|conf|service|json)$/;

/** All that is written in the code, of which a page may name a part. */
function namesIn(pattern: RegExp): Set<string> {
  const folders = ['ingress', 'workers', 'shared', 'deploy', 'bench', 'test'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => CODE.test(file) && !`${folder}/${file}`.startsWith('test/docs/names'))
      .map((file) => join(packageRoot, folder, file)),
  );
  return new Set(files.flatMap((file) => readFileSync(file, 'utf8').match(pattern) ?? []));
}

/** Where pages name something that nothing in `known` is; `page: name`. */
const unknownIn = (pattern: RegExp, known: (name: string) => boolean): string[] =>
  USER_PAGES.flatMap(({ path, text }) =>
    [...new Set(text.match(pattern) ?? [])].filter((name) => !known(name)).map((name) => `${path}: ${name}`),
  );

/** Command lines of `weir` in blocks of a page, each on one line. */
function callsIn(page: Page): string[][] {
  const lines = blocksOf(page)
    .filter(({ language }) => language === 'console' || language === 'sh')
    .flatMap(({ code }) => code.replaceAll('\\\n', ' ').split('\n'));
  return lines.flatMap((line) => {
    const bare = line.replace(/#.*$/, '').replaceAll(/"[^"]*"|'[^']*'/g, 'TEXT');
    return [...bare.matchAll(/\bnpx weir ([^|;&<>)]*)/g)].map(([, rest]) => rest!.trim().split(/\s+/));
  });
}

async function helpOf(words: readonly string[]): Promise<string | undefined> {
  // A command has one word, or two.
  for (const name of [words.slice(0, 2), words.slice(0, 1)]) {
    const said: string[] = [];
    const code = await run([...name, '--help'], { out: (line) => said.push(line), err: () => undefined });
    if (code === 0 && said.length > 0 && !/^-/.test(name.at(-1) ?? '')) return said.join('\n');
  }
  return undefined;
}

/** Names of the reader's own, in examples. */
const EXAMPLES = new Set(['WEIR_READER_PASSWORD', 'weir_verdict', 'weir_trial', 'weir_request_id']);

describe('what the documents name', () => {
  it('is a variable that something reads', () => {
    const known = namesIn(/\bWEIR_[A-Z0-9_]+\b/g);
    assert.deepEqual(
      unknownIn(/\bWEIR_[A-Z0-9_]+\b/g, (name) => known.has(name) || EXAMPLES.has(name)),
      [],
    );
  });

  it('is a metric that something counts, or another name that the code has', () => {
    const known = namesIn(/\bweir_[a-z0-9_]+\b/g);
    const all = [...known];
    // A pattern of grep may have the beginning of a name.
    const isKnown = (name: string): boolean =>
      EXAMPLES.has(name) ||
      known.has(name.replace(/_(?:bucket|sum|count)$/, '')) ||
      all.some((one) => one === name || one.startsWith(`${name}_`));
    assert.deepEqual(unknownIn(/\bweir_[a-z0-9_]*[a-z0-9]/g, isKnown), []);
  });

  it('is a command, with options that it has', async () => {
    const helps = new Map<string, string | undefined>();
    const wrong: string[] = [];
    let calls = 0;
    for (const page of USER_PAGES) {
      for (const words of callsIn(page)) {
        calls++;
        const key = words.slice(0, 2).join(' ');
        if (!helps.has(key)) helps.set(key, await helpOf(words));
        const help = helps.get(key);
        if (words[0]?.startsWith('-')) continue;
        if (help === undefined) wrong.push(`${page.path}: weir ${key}`);
        for (const option of words.filter((word) => /^--[a-z]/.test(word))) {
          const name = option.replace(/=.*$/, '');
          if (help !== undefined && name !== '--help' && !new RegExp(`${name}\\b`).test(help))
            wrong.push(`${page.path}: weir ${key} has no ${name}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(calls > 50, `${calls} calls`);
  });
});
