import { readHash } from '../../../../shared/pdq/hash-index.js';
import {
  type HashList,
  type ListEntry,
  lineReader,
  listEntry,
  MAX_COMMENT_BYTES,
  MAX_LIST_HASHES,
} from '../../../../shared/pdq/hash-list.js';
import { pdqFromHex, pdqToHex } from '../../../../shared/pdq/pdq.js';
import { type Arguments, type Command, type CommandOutput, CommandUsageError } from '../../command.js';
import { readHashListFile, replaceHashListFile } from '../../hash-list-file.js';

const LIST = `A list is a text file with a hash of 64 hexadecimal digits on each line, and optionally a comment after it. The file is
replaced as a whole, so that a reader never sees half of an edit. Its other lines do not change.`;

/** Adds hashes to a list. */
export const hashesAdd: Command = {
  usage: `weir hashes add LISTFILE HASH… [--comment TEXT]
weir hashes add LISTFILE --from FILE

  --comment TEXT   comment for each HASH
  --from FILE      add the hashes and comments of another list, for example the output of weir hash

${LIST}
Hashes that are on the list already are not added again. A LISTFILE that does not exist is created.`,
  options: { comment: { type: 'string' }, from: { type: 'string' } },
  run(given, output) {
    const [path, ...hashes] = given.positionals;
    const from = given.values.from;
    if (path === undefined || (hashes.length === 0 && from === undefined)) {
      throw new CommandUsageError('expected LISTFILE and at least one HASH or --from FILE');
    }
    const added = [...hashesOf(hashes, commentOf(given))];
    if (typeof from === 'string') {
      const other = readHashListFile(from, output);
      if (!other) return 1;
      for (let i = 0; i < other.list.count; i++) added.push(listEntry(other.list, i));
    }
    return add(path, added, output);
  },
};

/** Removes hashes from a list. */
export const hashesRemove: Command = {
  usage: `weir hashes remove LISTFILE HASH…

${LIST}
Only equal hashes are removed, not similar ones. When a HASH is not on the list, the others are still removed, and the exit
code is 1.`,
  run({ positionals }, output) {
    const [path, ...hashes] = positionals;
    if (path === undefined || hashes.length === 0)
      throw new CommandUsageError('expected LISTFILE and at least one HASH');
    return remove(path, new Set(hashesOf(hashes, '').map(({ hash }) => hash)), output);
  },
};

/** Prints a list. */
export const hashesList: Command = {
  usage: `weir hashes list LISTFILE

Prints each hash once, in lower case, with its comment. The number of hashes goes to the standard error. For a wrong file
it prints LISTFILE:LINE: what was expected, and the exit code is 1.`,
  run({ positionals }, output) {
    const [path, ...rest] = positionals;
    if (path === undefined || rest.length > 0) throw new CommandUsageError('expected one LISTFILE');
    const file = readHashListFile(path, output);
    if (!file) return 1;
    for (let i = 0; i < file.list.count; i++) output.out(lineOf(listEntry(file.list, i)));
    const { count, repeated } = file.list;
    output.err(`${path}: ${hashesText(count)}${repeated > 0 ? `, ${repeated} more lines repeat one` : ''}`);
    return 0;
  },
};

function hashesOf(texts: readonly string[], comment: string): ListEntry[] {
  return texts.map((text) => {
    const hash = pdqFromHex(text);
    if (!hash) throw new CommandUsageError(`expected a HASH of 64 hexadecimal digits, got ${text.length} characters`);
    return { hash: pdqToHex(hash), comment };
  });
}

function commentOf({ values, positionals }: Arguments): string {
  const { comment } = values;
  if (typeof comment !== 'string') return '';
  if (positionals.length < 2) throw new CommandUsageError('--comment is for a HASH; those of --from have their own');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a line
  if (/[\u0000-\u001f]/.test(comment) || Buffer.byteLength(comment) > MAX_COMMENT_BYTES) {
    throw new CommandUsageError(`--comment: expected one line of at most ${MAX_COMMENT_BYTES} bytes`);
  }
  return comment.trim();
}

function add(path: string, entries: readonly ListEntry[], output: CommandOutput): number {
  const file = readHashListFile(path, output, true);
  if (!file) return 1;
  const known = knownOf(file.list);
  const lines: string[] = [];
  for (const entry of entries) {
    if (known.has(entry.hash)) continue;
    known.add(entry.hash);
    lines.push(`${lineOf(entry)}\n`);
  }
  if (known.size > MAX_LIST_HASHES) {
    output.err(`${path}: would have more than ${MAX_LIST_HASHES} hashes; nothing was added; begin another list`);
    return 1;
  }
  if (lines.length > 0) {
    const separator = file.bytes.length > 0 && file.bytes.at(-1) !== 10 ? '\n' : '';
    const bytes = Buffer.concat([file.bytes, Buffer.from(separator + lines.join(''))]);
    if (!stillReads(file.bytes, lines)) {
      output.err(
        `${path}: other columns stand before the hash, so plain lines cannot be added; add rows with another program`,
      );
      return 1;
    }
    replaceHashListFile(file, bytes);
  }
  const already = entries.length - lines.length;
  output.out(`${path}: ${lines.length} added, ${already} were on it already; now ${hashesText(known.size)}`);
  return 0;
}

/** A CSV file with other columns before the hash takes no plain lines. */
function stillReads(bytes: Buffer, lines: readonly string[]): boolean {
  const reader = lineReader();
  for (const { text } of linesOf(bytes)) {
    if (reader.read(text).kind === 'entry' || reader.startsWithHash()) break;
  }
  return reader.read(lines[0]!).kind === 'entry';
}

function remove(path: string, hashes: ReadonlySet<string>, output: CommandOutput): number {
  const file = readHashListFile(path, output);
  if (!file) return 1;
  const reader = lineReader();
  const kept: Buffer[] = [];
  const missing = new Set(hashes);
  let removed = 0;
  for (const { text, bytes } of linesOf(file.bytes)) {
    const line = reader.read(text);
    const hash = line.kind === 'entry' ? pdqToHex(line.hash) : '';
    if (hashes.has(hash)) {
      missing.delete(hash);
      removed++;
    } else kept.push(bytes);
  }
  // Workers take an empty file for one that is being written.
  if (removed > 0) replaceHashListFile(file, kept.length > 0 ? Buffer.concat(kept) : Buffer.from('# none\n'));
  const gone = hashes.size - missing.size;
  output.out(`${path}: ${gone} removed; now ${hashesText(file.list.count - gone)}`);
  for (const hash of missing) output.err(`${path}: ${hash} is not on it`);
  return missing.size > 0 ? 1 : 0;
}

/** The lines of a file, with their ends. */
function* linesOf(bytes: Buffer): Generator<{ text: string; bytes: Buffer }> {
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(10, start);
    const end = newline === -1 ? bytes.length : newline + 1;
    const line = bytes.subarray(start, end);
    yield { text: line.toString('utf8'), bytes: line };
    start = end;
  }
}

function knownOf(list: HashList): Set<string> {
  const known = new Set<string>();
  for (let i = 0; i < list.count; i++) known.add(pdqToHex(readHash(list.hashes, i)));
  return known;
}

function lineOf({ hash, comment }: ListEntry): string {
  return comment === '' ? hash : `${hash} ${comment}`;
}

function hashesText(count: number): string {
  return `${count} ${count === 1 ? 'hash' : 'hashes'}`;
}
