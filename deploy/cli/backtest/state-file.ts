/** Keeps how far a backtest is in a file, so that one that was ended goes on. */
import { renameSync, rmSync } from 'node:fs';
import { cannotRead, type FileError, readTextAtMost } from '../../../shared/files.js';
import { writeAsked } from '../command.js';
import type { BacktestResult } from './result.js';

/** How far a backtest is. What comes before the place is in `result`. */
export interface BacktestState {
  /** identifies the question: a state of another one does not fit */
  question: string;
  since: number;
  until: number;
  perMillion: number;
  /** items of the window, about */
  total: number;
  /** the first that is left: a scope, and a time in it; null: none is done */
  place: { team: string; scope: string; from: number } | null;
  result: BacktestResult;
}

const WRITE_MS = 1000;
/** Its examples are bounded, each with its content. */
const MAX_BYTES = 256 * 1024 * 1024;

export interface StateFile {
  /** Writes, once a second at most. */
  note(state: BacktestState): void;
  /** Removes the file: there is nothing left to do. */
  remove(): void;
}

/** The state in `path`; undefined where there is no such file. Throws where it is of another question, or none. */
export function readState(path: string, question: string): BacktestState | undefined {
  let text: string;
  try {
    text = readTextAtMost(path, MAX_BYTES);
  } catch (error) {
    if ((error as FileError).code === 'ENOENT') return undefined;
    throw cannotRead(path, error);
  }
  const state = parsed(text);
  if (!state) throw new Error(`${path}: expected the state of a backtest, as --state writes it`);
  if (state.question === question) return state;
  throw new Error(
    `${path} is of a backtest of another configuration or with other options; name another file or remove it`,
  );
}

function parsed(text: string): BacktestState | undefined {
  try {
    const state = JSON.parse(text) as Partial<BacktestState>;
    return typeof state.question === 'string' && state.result ? (state as BacktestState) : undefined;
  } catch {
    return undefined;
  }
}

/** Throws where it cannot be written: before work is done that could not be kept. */
export function createStateFile(path: string): StateFile {
  let written = 0;
  const draft = `${path}.${process.pid}`;
  writeAsked(draft, '', 0o600);
  rmSync(draft);
  return {
    note(state) {
      if (performance.now() - written < WRITE_MS && written > 0) return;
      written = performance.now();
      // It has examples of content.
      writeAsked(draft, JSON.stringify(state), 0o600);
      renameSync(draft, path);
    },
    remove: () => rmSync(path, { force: true }),
  };
}
