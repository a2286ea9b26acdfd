import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProgress, runProgram } from '../../deploy/progress.mjs';
import { gate } from '../support/wait.ts';

/** What is written, and what to wait for until it has been written. */
function screen(isTTY: boolean): {
  out: { isTTY: boolean; write(text: string): void };
  text(): string;
  shows(part: string): Promise<void>;
} {
  let text = '';
  let look = (): void => {};
  return {
    out: {
      isTTY,
      write(part) {
        text += part;
        look();
      },
    },
    text: () => text,
    shows: (part) =>
      new Promise((resolve) => {
        look = () => {
          if (text.includes(part)) resolve();
        };
        look();
      }),
  };
}

describe('progress of what takes long', () => {
  it('counts seconds on one line of a terminal, and ends it', async () => {
    const { out, text, shows } = screen(true);
    const { open, end } = gate();
    const done = createProgress(out, 1).during('Building', async () => {
      await open;
      return 7;
    });
    assert.equal(text(), 'Building …');
    await shows('\rBuilding … 2 s');
    end();
    assert.equal(await done, 7);
    assert.match(text().split('\x1b[K')[1] ?? '', /^Building: \d+ s\.\n$/);
    assert.equal(text().split('\n').length, 2);
  });

  it('is lines elsewhere, one in many seconds', async () => {
    const { out, text, shows } = screen(false);
    const { open, end } = gate();
    const done = createProgress(out, 1).during('Building', () => open);
    await shows('Building … 30 s\n');
    end();
    await done;
    assert.match(text(), /^Building …\nBuilding … 15 s\nBuilding … 30 s\n(?:Building … \d+ s\n)*Building: \d+ s\.\n$/);
  });

  it('hands on what fails, after the end of its line', async () => {
    const { out, text } = screen(true);
    const failing = createProgress(out).during('Building', () => Promise.reject(new Error('no')));
    await assert.rejects(failing, /^Error: no$/);
    assert.ok(text().endsWith('\n'));
  });

  it('keeps the end of what a program says, and tells how it ended', async () => {
    const script = "process.stdout.write('x'.repeat(100000)); process.stderr.write('end'); process.exitCode = 3";
    const { code, output } = await runProgram(process.execPath, ['-e', script], {});
    assert.equal(code, 3);
    assert.equal(output.length, 64 * 1024);
    assert.match(output, /end/);
    const missing = await runProgram('/no/such/program', [], {});
    assert.deepEqual([missing.code, missing.error?.message], [null, 'spawn /no/such/program ENOENT']);
  });
});
