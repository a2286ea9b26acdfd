/** Attacks are data (`attacks.yaml`): what a hostile team sends, over how many connections, and how eagerly. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import typia, { type tags } from 'typia';
import { parse } from 'yaml';
import { packageRoot } from '../../../shared/paths.js';
import { type BenchScope, MARKED } from '../bodies.js';
import { seeded } from '../random.js';

type Whole = number & tags.Type<'uint32'>;

export interface Attack {
  name: string & tags.Pattern<'^[a-z0-9-]{1,40}$'>;
  description: string;
  connections: Whole & tags.Minimum<1> & tags.Maximum<4096>;
  /** milliseconds that a connection waits after an answer that is not 200, and after it was lost */
  pause: Whole;
  /** default POST */
  method?: 'GET' | 'POST';
  path: string & tags.Pattern<'^/'>;
  /** default: the key of the hostile team */
  key?: string;
  body?: string;
  fill?: { text: string & tags.MinLength<1>; bytes: Whole };
  /** what is the same in every item of the body, and how many there are */
  items?: { text: string & tags.MinLength<1>; count: Whole & tags.Minimum<1> & tags.Maximum<50> };
  /** a text that differs from request to request and from item to item: words of plain ASCII in random order */
  vary?: { words: (string & tags.MinLength<1>)[] & tags.MinItems<2>; bytes: Whole & tags.Minimum<1> };
  /** instead of `body`: bytes that the head announces; all but the last of them are sent */
  stall?: Whole & tags.Minimum<1>;
}

/** What a hostile team has. */
export interface AttackMeans {
  scope: BenchScope;
  key: string;
  /** `host:port` of a server that takes requests and never answers */
  nowhere: string;
}

/** What its neighbour has. */
export type Neighbour = Pick<AttackMeans, 'scope' | 'key'>;

const FILE = join(packageRoot, 'bench', 'workloads', 'neighbours', 'attacks.yaml');

/** The attacks of the file in its order, or only those that are named. Throws a sentence that says what to change. */
export function readAttacks(names: readonly string[] = []): Attack[] {
  const attacks = checkAttacks(parse(readFileSync(FILE, 'utf8')), FILE);
  const unknown = names.find((name) => !attacks.some((attack) => attack.name === name));
  if (unknown !== undefined) {
    throw new Error(`There is no attack "${unknown}". Name some of ${attacks.map(({ name }) => name).join(', ')}.`);
  }
  return names.length === 0 ? attacks : attacks.filter(({ name }) => names.includes(name));
}

/** `value` as attacks, or an error that names the field. */
export function checkAttacks(value: unknown, path: string): Attack[] {
  const result = typia.validateEquals<Attack[]>(value);
  if (result.success) return result.data;
  const first = result.errors[0]!;
  throw new Error(`${path}: ${first.path.replace('$input', 'attacks')} must be ${first.expected}.`);
}

/** A byte that stands where a varied text goes. Nothing else in a request has it. */
const VARIED = 0x7f;

/** Where varied texts go in a request, and what they are made of. */
export interface Varied {
  places: readonly { at: number; length: number }[];
  /** random words, twice as long as a text: each text is a part of them that begins anywhere */
  pool: Uint8Array;
  /** where the next text begins */
  next: number;
}

/** From the beginning of one text to that of the next, a prime: none recurs before all have been. */
const STEP = 100_003;

/** Undefined for a request without varied texts. */
export function variedIn(request: Buffer, { vary }: Pick<Attack, 'vary'>): Varied | undefined {
  if (!vary) return undefined;
  const places: { at: number; length: number }[] = [];
  for (let at = request.indexOf(VARIED); at >= 0; at = request.indexOf(VARIED, at + vary.bytes)) {
    places.push({ at, length: vary.bytes });
  }
  const random = seeded(vary.bytes);
  let pool = '';
  while (pool.length < 2 * vary.bytes) pool += random.pick(vary.words);
  // Other attackers begin elsewhere.
  const next = Math.floor(Math.random() * (pool.length - vary.bytes + 1));
  return { places, pool: Buffer.from(pool, 'latin1'), next };
}

/** Writes other texts into their places. */
export function varyTexts(request: Buffer, varied: Varied): void {
  const { places, pool } = varied;
  for (const { at, length } of places) {
    request.set(pool.subarray(varied.next, varied.next + length), at);
    varied.next = (varied.next + STEP) % (pool.length - length + 1);
  }
}

/**
 * The bytes of a request of the attack on the service at `host`, with marks where its stamps go. Of a stalled request
 * it is the head.
 */
export function requestOf(attack: Attack, means: AttackMeans & { neighbour: Neighbour }, host: string): Buffer {
  const method = attack.method ?? 'POST';
  const body = Buffer.from(filled(attack.body ?? '', attack, means));
  const head = [
    `${method} ${filled(attack.path, attack, means)} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${attack.key === undefined ? means.key : filled(attack.key, attack, means)}`,
    'service-version: 2026-06-01',
  ];
  if (method === 'POST') {
    head.push('content-type: application/json', `content-length: ${attack.stall ?? body.length}`);
  }
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}

function filled(
  template: string,
  { fill, items, vary }: Attack,
  { scope, nowhere, neighbour }: AttackMeans & { neighbour: Neighbour },
): string {
  const words: Record<string, () => string> = {
    environment: () => scope.environment,
    deployment: () => scope.deployment,
    stamp: () => MARKED,
    nowhere: () => nowhere,
    theirs: () => neighbour.scope.environment,
    theirkey: () => neighbour.key,
    fill: () => (fill ? fill.text.repeat(Math.floor(fill.bytes / Buffer.byteLength(fill.text))) : ''),
    vary: () => String.fromCharCode(VARIED).repeat(vary?.bytes ?? 0),
    png: () => pngWithTexts(6, 30 * 1024 * 1024).toString('base64'),
  };
  const listed = items ? Array.from({ length: items.count }, () => items.text).join(',') : '';
  return template
    .replace('$items', () => listed)
    .replace(/\$([a-z]+)/g, (whole, word: string) => words[word]?.() ?? whole);
}

/** A PNG of one pixel with `count` compressed texts of `size` bytes each. */
export function pngWithTexts(count: number, size: number): Buffer {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const text = Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(size, 'a'))]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...Array.from({ length: count }, () => chunk('zTXt', text)),
    chunk('IDAT', deflateSync(Buffer.from([0, 127]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** The checksum of PNG chunks. */
function crc32(bytes: Buffer): number {
  let c = 0xffff_ffff;
  for (const byte of bytes) c = CRC[(c ^ byte) & 0xff]! ^ (c >>> 8);
  return (c ^ 0xffff_ffff) >>> 0;
}
