/**
 * Shows that work goes on which takes longer than a second. A terminal has one line whose seconds count; elsewhere, such as in a log, there
 * is a line when it begins, one in every 15 s, and one when it ends. Plain JavaScript: nothing is built yet.
 */
import { spawn } from 'node:child_process';

const TICK_MS = 1000;
/** In a log. */
const TICKS_A_LINE = 15;
/** What a program says is kept up to this many characters, the last ones. */
const MOST_OUTPUT = 64 * 1024;

/**
 * @param {{ isTTY?: boolean, write(text: string): unknown }} out
 * @param {number} tickMs
 */
export function createProgress(out, tickMs = TICK_MS) {
  const say = (line) => out.write(`${line}\n`);

  /**
   * Does `work`, and says `what` for as long as it takes.
   * @template T
   * @param {string} what  such as `Building`
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async function during(what, work) {
    let ticks = 0;
    out.write(out.isTTY ? `${what} …` : `${what} …\n`);
    const timer = setInterval(() => {
      ticks++;
      if (out.isTTY) out.write(`\r${what} … ${ticks} s`);
      else if (ticks % TICKS_A_LINE === 0) say(`${what} … ${ticks} s`);
    }, tickMs);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      if (out.isTTY) out.write(`\r\x1b[K${what}: ${ticks} s.\n`);
      else if (ticks > 0) say(`${what}: ${ticks} s.`);
    }
  }

  return { say, during };
}

/**
 * Runs a program to its end.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<{ code: number | null, output: string, error?: Error }>}  `output`: both streams, the end of them where they are long
 */
export function runProgram(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-MOST_OUTPUT);
      });
    }
    child.on('error', (error) => resolve({ code: null, output, error }));
    child.on('close', (code) => resolve({ code, output }));
  });
}
