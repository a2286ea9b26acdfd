/** The Dockerfile, held against what it names. Nothing is built here: `images.test.ts` does that. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';
import { DEFINITIONS } from '#weir/shared/settings';
import { filesOf, TARGETS } from '../../../deploy/docker/prune.mjs';

const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8');

interface BuildStage {
  name: string;
  base: string;
  lines: { instruction: string; rest: string }[];
}

/** Instructions by stage, and the arguments that stand before the first one. */
function stagesOf(text: string): { stages: BuildStage[]; args: string[] } {
  const stages: BuildStage[] = [];
  const args: string[] = [];
  const lines = text.replace(/^#.*\n/gm, '').replace(/\\\n/g, ' ');
  for (const line of lines.split('\n').filter((each) => each.trim() !== '')) {
    const [, instruction, rest] = /^([A-Z]+)\s+(.*)$/.exec(line)!;
    if (instruction === 'FROM') {
      const [, base, name] = /^(\S+) AS (\S+)$/.exec(rest!)!;
      stages.push({ name: name!, base: base!, lines: [] });
    } else if (stages.length === 0) args.push(rest!);
    else stages.at(-1)!.lines.push({ instruction: instruction!, rest: rest! });
  }
  return { stages, args };
}

const { stages, args } = stagesOf(read('deploy/docker/Dockerfile'));
const stage = (name: string): BuildStage => stages.find((each) => each.name === name)!;
/** A stage with those that it is made of, its own lines last. */
const whole = (name: string): BuildStage['lines'] => {
  const one = stage(name);
  return one ? [...whole(one.base), ...one.lines] : [];
};
const last = (name: string, instruction: string): string | undefined =>
  whole(name).findLast((line) => line.instruction === instruction)?.rest;

describe('the Dockerfile', () => {
  it('has a stage for each target', () => {
    for (const name of Object.keys(TARGETS)) assert.ok(stage(name), name);
  });

  it('takes its bases from arguments that have a default', () => {
    for (const { base } of stages.filter(({ base }) => !stages.some(({ name }) => name === base))) {
      const name = /^\$\{(\w+)\}$/.exec(base)?.[1];
      assert.ok(
        args.some((arg) => arg.startsWith(`${name}=docker.io/library/`)),
        base,
      );
    }
  });

  it('copies what is there, and the ignore file lets it through', () => {
    const kept = read('deploy/docker/Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    for (const path of kept) assert.ok(existsSync(join(packageRoot, path)), path);
    const copied = stage('build').lines.filter(({ instruction }) => instruction === 'COPY');
    for (const path of copied.flatMap(({ rest }) => rest.split(' ').slice(0, -1)).filter((path) => path !== '.')) {
      assert.ok(kept.includes(path), path);
    }
    // What the compiler and the build read.
    const { include } = JSON.parse(read('tsconfig.json')) as { include: string[] };
    for (const folder of include.map((glob) => glob.split('/')[0]!)) assert.ok(kept.includes(folder), folder);
    for (const file of ['tsconfig.json', '.without-typia.cjs']) assert.ok(kept.includes(file), file);
    assert.ok(!kept.some((path) => /^(?:test|docs|node_modules|dist|\.git)/.test(path)));
  });

  for (const name of Object.keys(TARGETS)) {
    describe(`target ${name}`, () => {
      const files = new Set(filesOf([name], { root: packageRoot }).map((file) => `/opt/weir/${file}`));

      it('starts and asks files that the image has', () => {
        const paths = whole(name).flatMap(({ rest }) => rest.match(/\/opt\/weir\/[\w./-]+\.m?js/g) ?? []);
        assert.ok(paths.length >= 3);
        for (const path of paths) assert.ok(files.has(path), path);
        assert.match(last(name, 'HEALTHCHECK')!, /CMD \["node", "\/opt\/weir\/deploy\/docker\/health\.mjs"\]$/);
        assert.match(last(name, 'ENTRYPOINT')!, /^\["\/usr\/bin\/tini"/);
      });

      it('runs as a user without rights, who is a number', () => {
        assert.equal(last(name, 'USER'), '10001:10001');
      });

      it('exposes the ports that are the defaults of the settings', () => {
        const ports = name === 'worker' ? [DEFINITIONS.metricsPort] : [DEFINITIONS.port, DEFINITIONS.metricsPort];
        assert.equal(last(name, 'EXPOSE'), ports.map((definition) => definition.default).join(' '));
      });

      it('sets variables that are settings', () => {
        const known = new Set(Object.values(DEFINITIONS).map(({ variable }) => variable as string));
        const set = whole(name).flatMap(({ instruction, rest }) =>
          instruction === 'ENV' ? [...rest.matchAll(/(\w+)=/g)].map(([, variable]) => variable!) : [],
        );
        assert.ok(set.includes('WEIR_HOST') && set.includes('WEIR_METRICS_HOST'));
        for (const variable of set) assert.ok(known.has(variable), variable);
      });

      it('says what it is', () => {
        const label = last(name, 'LABEL')!;
        for (const key of ['title', 'description', 'licenses', 'version', 'revision', 'created'])
          assert.ok(label.includes(`org.opencontainers.image.${key}=`), key);
      });
    });
  }
});
