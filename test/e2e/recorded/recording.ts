/**
 * A recording: requests with the answers that they were given, byte for byte. `answers.txt` is one.
 *
 * An exchange is a line `# label: what it is`, lines `> ` of the request (method and path, headers, a body of one line), and lines `< ` of
 * the answer (status, headers, body). `COLD <id>` instead of a request waits until a result is archived, and drops it from Redis.
 *
 * What differs from run to run has a name in its place:
 * - an id that the service has made (a UUID of version 7, also behind `evt_` or `run_`): `<label n>`, the nth new one in the answer of that
 *   label. Requests name ids of answers before them in the same way.
 * - a time with milliseconds: `<time>`.
 * - a seal: `<label sealed>`, by the label of its answer. A request names it so.
 */

export interface Exchange {
  label: string;
  what: string;
  /** lines, without marks */
  request: readonly string[];
  answer: readonly string[];
}

/** Rejects a line that belongs to nothing. */
export function parseRecording(text: string): Exchange[] {
  return text
    .split('\n\n')
    .filter((block) => block.trim() !== '')
    .map((block) => {
      const [title = '', ...lines] = block.trim().split('\n');
      const [, label, what] = /^# (\w+): (.+)$/.exec(title) ?? [];
      if (label === undefined || what === undefined) throw new Error(`expected "# label: what it is", not "${title}"`);
      const wrong = lines.find((line) => !/^[<>] /.test(line));
      if (wrong !== undefined) throw new Error(`${label}: expected a line of a request or an answer, not "${wrong}"`);
      const marked = (mark: string): string[] => lines.filter((line) => line[0] === mark).map((line) => line.slice(2));
      return { label, what, request: marked('>'), answer: marked('<') };
    });
}

export function renderRecording(exchanges: readonly Exchange[]): string {
  const blocks = exchanges.map(({ label, what, request, answer }) =>
    [`# ${label}: ${what}`, ...request.map((line) => `> ${line}`), ...answer.map((line) => `< ${line}`)].join('\n'),
  );
  return `${blocks.join('\n\n')}\n`;
}

const MADE = /(?:evt_|run_)[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const SEALED = /(?<="sealed":")[A-Za-z0-9_-]{60,}(?=")/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

export interface Names {
  /** An answer with names in place of what differs. */
  named(label: string, answer: string): string;
  /** A request with ids in place of their names. */
  filled(request: string): string;
}

/** The names of a run. */
export function createNames(): Names {
  const names = new Map<string, string>();
  const ids = new Map<string, string>();
  return {
    named(label, answer) {
      let n = 0;
      const nameOf = (id: string): string => {
        const known = names.get(id);
        if (known !== undefined) return known;
        n++;
        const name = `<${label} ${n}>`;
        names.set(id, name);
        ids.set(name, id);
        return name;
      };
      const sealed = (seal: string): string => {
        const name = `<${label} sealed>`;
        ids.set(name, seal);
        return name;
      };
      return answer.replace(MADE, nameOf).replace(TIME, '<time>').replace(SEALED, sealed);
    },
    filled: (request) =>
      request.replace(/<\w+ (?:\d+|sealed)>/g, (name) => {
        const id = ids.get(name);
        if (id === undefined) throw new Error(`no answer has had ${name}`);
        return id;
      }),
  };
}
