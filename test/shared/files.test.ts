import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { FileError, readFileAtMost, readTextAtMost, textIn } from '#weir/shared/files';

const folder = mkdtempSync(join(tmpdir(), 'weir-files-'));
after(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(at(name), content);
  return at(name);
};

const refused = (path: string, why: RegExp, most = 1000): void => {
  assert.throws(
    () => readFileAtMost(path, most),
    (error) => error instanceof FileError && why.test(error.message),
    path,
  );
};

describe('files that an operator names', () => {
  it('are read whole, through links too', () => {
    const bytes = Buffer.from(Array.from({ length: 10_000 }, (_, i) => i % 256));
    const path = file('bytes', bytes);
    symlinkSync(path, at('link'));
    for (const name of [path, at('link')]) assert.deepEqual(readFileAtMost(name, 10_000), bytes);
    assert.equal(readFileAtMost(file('empty', ''), 0).length, 0);
    assert.ok(readFileAtMost('/proc/self/status', 1_000_000).length > 100);
  });
  it('are refused where they are none, without waiting', async () => {
    spawnSync('mkfifo', [at('pipe')]);
    refused(at('pipe'), /^expected a file, found a pipe$/);
    refused('/dev/zero', /^expected a file, found a device$/);
    refused(folder, /^expected a file, found a folder$/);
    const server = createServer().listen(at('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    refused(at('socket'), /^expected a file, found a socket$/);
    server.close();
    refused(at('none'), /^there is no such file$/);
    refused(join(file('plain', 'x'), 'below'), /^there is no such file$/);
    symlinkSync(at('self'), at('self'));
    refused(at('self'), /^its link leads to itself$/);
    refused(at('x'.repeat(300)), /^its name is too long$/);
    if (process.getuid?.() !== 0) {
      chmodSync(file('secret', 'x'), 0);
      refused(at('secret'), /^this user may not read it$/);
    }
    mkdirSync(at('inner'));
  });
  it('are refused where they have more bytes than a limit, before they are read', () => {
    truncateSync(file('huge', ''), 2 ** 40);
    refused(at('huge'), /^expected at most 1000 bytes, found 1099511627776$/);
    refused('/proc/self/status', /^expected at most 10 bytes, found \d+( and more)?$/, 10);
    const path = file('some', 'x'.repeat(1000));
    assert.equal(readFileAtMost(path, 1000).length, 1000);
    appendFileSync(path, 'x');
    refused(path, /found 1001$/);
  });
  it('are texts in UTF-8, without a byte order mark', () => {
    assert.equal(readTextAtMost(file('text', 'Größe 漢字 😀 \ufffd'), 100), 'Größe 漢字 😀 \ufffd');
    assert.equal(textIn(Buffer.from('\ufeffa: 1\n')), 'a: 1\n');
  });
  it('are refused as texts in another encoding, which is named where they say it', () => {
    const said = (bytes: Uint8Array): string => {
      try {
        return textIn(bytes);
      } catch (error) {
        assert.ok(error instanceof FileError);
        return error.message;
      }
    };
    assert.equal(
      said(Buffer.from('a: 1\nb: 2\nname: Größe\n', 'latin1')),
      'expected UTF-8; line 3 has bytes of another encoding, such as Latin-1',
    );
    assert.match(said(Buffer.from([0x61, 0xe2, 0x82])), /^expected UTF-8; line 1 /);
    assert.match(said(Buffer.from([0x61, 0x0a, 0xed, 0xa0, 0x80, 0x0a])), /^expected UTF-8; line 2 /);
    assert.equal(said(Buffer.from('\ufeffa: 1', 'utf16le')), 'expected UTF-8, found UTF-16 by its byte order mark');
    assert.match(said(Buffer.from('\ufeffa: 1', 'utf16le').swap16()), /found UTF-16/);
    assert.match(said(Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])), /found UTF-32/);
    assert.match(said(Buffer.from('a: 1\n', 'utf16le')), /^expected a text in UTF-8; line 1 has a byte 0, as UTF-16/);
  });
});
