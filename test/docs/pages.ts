/** The documents, as the tests about them read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '#weir/shared/paths';

export interface Page {
  /** from the root of the repository, such as `docs/api/events.md` */
  path: string;
  text: string;
}

/** A fenced block. */
export interface Block {
  /** `sh`, or empty */
  language: string;
  /** what stands behind the language: `fails` */
  word: string;
  code: string;
  /** number of the line of its fence */
  line: number;
}

export const readPage = (path: string): Page => ({ path, text: readFileSync(join(packageRoot, path), 'utf8') });

/** Pages for people who use Weir, in the order in which their examples run. */
export const USER_PAGES: readonly Page[] = ['README.md', ...markdownIn('docs')].map(readPage);

/** All pages. */
export const PAGES: readonly Page[] = [
  ...USER_PAGES,
  ...['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...markdownIn('bench')].map(readPage),
];

function markdownIn(folder: string): string[] {
  const files = readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file))
    .sort();
}

const FENCED = /^```(\S*)(?: +(.*))?\n([\s\S]*?)^```$/gm;

export const blocksOf = ({ text }: Page): Block[] =>
  [...text.matchAll(FENCED)].map(({ 1: language = '', 2: word = '', 3: code = '', index }) => ({
    language,
    word,
    code,
    line: text.slice(0, index).split('\n').length,
  }));

/** Text without its fenced blocks. */
const proseOf = ({ text }: Page): string => text.replace(FENCED, '');

/** Targets of the links of a page. */
export const linksOf = (page: Page): string[] =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);

/** Anchors of the headings of a page, made as GitHub makes them. */
export function anchorsOf(page: Page): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of proseOf(page).matchAll(/^#+ (.+)$/gm)) {
    const slug = heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Cells of the rows of each table with this header row. */
export function tablesOf(page: Page, header: string): string[][] {
  const tables = page.text.split(`\n| ${header} |\n`).slice(1);
  if (tables.length === 0) throw new Error(`${page.path} has no table "${header}"`);
  return tables.flatMap((text) => {
    const [table = ''] = text.split('\n\n');
    const rows = table.split('\n').filter((row) => row.startsWith('|'));
    return rows.slice(1).map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  });
}

/** What stands between backticks. */
export const quotedIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, quoted]) => quoted!);
