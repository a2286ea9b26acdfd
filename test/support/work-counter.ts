/**
 * Counts work instead of time: how often each block of code is executed, and how many characters built-in searches go over. The same
 * work gives the same count on every machine. What a sticky pattern goes over is not seen: its repetitions have a bound.
 */
import { Session } from 'node:inspector';

export interface WorkCounter {
  /** For each of `works`: blocks that it executes in scripts whose address has one of the names, and characters of its searches. */
  of(...works: readonly (() => void)[]): number[];
  stop(): void;
}

interface Coverage {
  result: { url: string; functions: { ranges: { count: number }[] }[] }[];
}

/**
 * Counts in the whole process. Only scripts that are loaded afterwards are counted as a whole. `perCharacter`: what a character of a
 * search counts, where a block counts 1.
 */
export function startCounting(names: readonly string[], perCharacter = 1): WorkCounter {
  const session = new Session();
  session.connect();
  let answer: unknown;
  const post = (method: string, parameters?: object): unknown => {
    session.post(method, parameters, (error: Error | null, result?: object) => {
      if (error) throw error;
      answer = result;
    });
    return answer;
  };
  const blocks = (): number => {
    const { result } = post('Profiler.takePreciseCoverage') as Coverage;
    let sum = 0;
    for (const { url, functions } of result) {
      if (!names.some((name) => url.includes(name))) continue;
      for (const { ranges } of functions) for (const { count } of ranges) sum += count;
    }
    return sum;
  };
  const searched = countSearches();
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    of(...works) {
      blocks();
      return works.map((work) => {
        searched.characters = 0;
        work();
        const { characters } = searched;
        return blocks() + characters * perCharacter;
      });
    },
    stop() {
      searched.stop();
      session.disconnect();
    },
  };
}

/** Characters that searches of strings and patterns go over from now on. */
function countSearches(): { characters: number; stop(): void } {
  const { exec } = RegExp.prototype;
  const { indexOf, lastIndexOf, includes } = String.prototype;
  const counted = {
    characters: 0,
    stop(): void {
      RegExp.prototype.exec = exec;
      Object.assign(String.prototype, { indexOf, lastIndexOf, includes });
    },
  };
  RegExp.prototype.exec = function (text) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const match = exec.call(this, text);
    if (match) counted.characters += match.index + match[0].length - from;
    else if (!this.sticky) counted.characters += Math.max(0, text.length - from);
    return match;
  };
  String.prototype.indexOf = function (part, from = 0) {
    const at = indexOf.call(this, part, from);
    counted.characters += Math.max(0, (at < 0 ? this.length : at) - from);
    return at;
  };
  String.prototype.lastIndexOf = function (this: string, part, from = this.length) {
    const at = lastIndexOf.call(this, part, from);
    counted.characters += Math.min(from, this.length) - Math.max(at, 0);
    return at;
  };
  String.prototype.includes = function (part, from = 0) {
    return this.indexOf(part, from) >= 0;
  };
  return counted;
}
