/** The configurations of docs/operations/proxies.md, run by nginx and HAProxy in front of an ingress and of a server that stops. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { freePort } from '#weir/deploy/local/ports';
import { blocksOf, readPage } from '../docs/pages.ts';
import { createCertificate } from '../support/network/certificate.ts';
import { type Origin, startOrigin } from '../support/network/origin.ts';
import { until } from '../support/wait.ts';
import { batch, HEADERS, sharedIngress } from './support.ts';

const NAME = 'weir.example.com';
const CERTIFICATE = createCertificate([NAME]);

/** Path of a program; administrators have its folder on their PATH, others may not. */
const find = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

interface ProxyKind {
  name: string;
  program: string | undefined;
  /** it asks servers whether they are ready */
  probes: boolean;
  /** what a caller that speaks HTTP/1.0 gets */
  old: RegExp;
  /** The whole configuration, from that of the page, and the arguments that run it in the foreground. */
  configure(shown: string, folder: string, port: number): { text: string; args(file: string): string[] };
}

const KINDS: ProxyKind[] = [
  {
    name: 'nginx',
    program: find('nginx'),
    probes: false,
    old: /^HTTP\/1\.1 200 [\s\S]*\{"status":"ok"\}$/,
    configure(shown, folder, port) {
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${join(folder, name)};`,
      );
      const own = shown.replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`).replaceAll('/etc/nginx', folder);
      // Its worker would be a user who cannot write into the folder.
      const user = process.getuid?.() === 0 ? 'user root;' : '';
      return {
        text: `${user} daemon off; pid ${folder}/pid; error_log stderr; worker_processes 1;
          events {} http { access_log off; ${paths.join(' ')} ${own} }`,
        args: (file) => ['-c', file, '-p', folder, '-e', 'stderr'],
      };
    },
  },
  {
    name: 'HAProxy',
    program: find('haproxy'),
    probes: true,
    old: /^HTTP\/1\.1 505 [\s\S]*This server does not support HTTP\/1\.0\./,
    configure: (shown, folder, port) => ({
      text: shown.replace('bind :443', `bind 127.0.0.1:${port}`).replaceAll('/etc/haproxy', folder),
      args: (file) => ['-f', file, '-db', '-W'],
    }),
  },
];

interface Passed {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely by assertions
  json: any;
}

for (const kind of KINDS) {
  describe(`${kind.name}, as the page about proxies has it`, { skip: kind.program === undefined }, () => {
    const ingress = sharedIngress();
    const folder = mkdtempSync(join(tmpdir(), 'weir-proxy-'));
    /** A server that is ready for all its probe says, and refuses the rest as one that stops does. */
    let stopping: Origin;
    let ready = true;
    let proxy: ChildProcess;
    let port: number;
    const refused = (): number => stopping.requests.filter(({ url }) => url !== '/readyz').length;

    before(async () => {
      stopping = await startOrigin((request, response) => {
        request.resume();
        const status = request.url === '/readyz' && ready ? 200 : 503;
        request.on('end', () =>
          response.writeHead(status, { 'retry-after': '1' }).end('{"error":{"code":"shutting_down"}}'),
        );
      });
      port = await freePort();
      const block = blocksOf(readPage('docs/operations/proxies.md')).find(({ code }) =>
        code.startsWith(`# ${kind.name}`),
      )!;
      const shown = block.code
        .replaceAll('10.0.0.5:8080', `127.0.0.1:${ingress.server.port}`)
        .replaceAll('10.0.0.6:8080', `127.0.0.1:${stopping.port}`);
      const { text: configuration, args } = kind.configure(shown, folder, port);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'weir.crt'), CERTIFICATE.cert);
      writeFileSync(join(folder, 'weir.key'), CERTIFICATE.key);
      writeFileSync(join(folder, 'weir.pem'), CERTIFICATE.cert + CERTIFICATE.key);
      writeFileSync(join(folder, 'proxy.conf'), configuration);
      proxy = spawn(kind.program!, args(join(folder, 'proxy.conf')), { stdio: ['ignore', 'ignore', 'pipe'] });
      const said = text(proxy.stderr!);
      await until(`${kind.name} listens`, async () => {
        if (proxy.exitCode !== null) throw new Error(await said);
        return await isOpen(port);
      });
    });
    after(async () => {
      if (proxy?.exitCode === null) {
        proxy.kill('SIGTERM');
        await once(proxy, 'exit');
      }
      await stopping?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    function send(method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<Passed> {
      return new Promise((resolve, reject) => {
        const all = { ...HEADERS, host: NAME, ...headers };
        const options = { port, host: '127.0.0.1', servername: NAME, ca: CERTIFICATE.cert, method, path, headers: all };
        httpsRequest(options, (response) => {
          void text(response).then((answer) => {
            const { statusCode: status = 0, headers: given } = response;
            resolve({ status, headers: given, json: answer.startsWith('{') ? JSON.parse(answer) : answer });
          }, reject);
        })
          .on('error', reject)
          .end(body);
      });
    }
    const check = (headers: Record<string, string> = {}): Promise<Passed> =>
      send('POST', '/api/events', { 'content-length': String(BATCH.length), ...headers }, BATCH);
    const BATCH = JSON.stringify(batch());

    /** Statuses of checks, until the server that stops has refused another one; so many that it must have had one. */
    async function statusesUntilRefused(headers: (n: number) => Record<string, string>): Promise<number[]> {
      const before = refused();
      const statuses: number[] = [];
      await until('the server that stops was asked', async () => {
        statuses.push((await check(headers(statuses.length))).status);
        return refused() > before;
      });
      return statuses;
    }

    it('sends a check again that was refused with 503 where it has an Idempotency-Key, and only there', async () => {
      const repeated = await statusesUntilRefused((n) => ({ 'idempotency-key': `key-${n}` }));
      assert.deepEqual([...new Set(repeated)], [200]);
      const checks = ingress.checks.length;
      const bare = await statusesUntilRefused(() => ({}));
      assert.equal(bare.at(-1), 503);
      assert.equal(ingress.checks.length - checks, bare.filter((status) => status === 200).length);
    });

    it('speaks HTTP/1.1 on connections that it keeps, without cookies, and says whom it forwards for', async () => {
      const before = stopping.requests.length;
      await statusesUntilRefused(() => ({ cookie: 'a=b' }));
      const last = stopping.requests.slice(before).findLast(({ url }) => url !== '/readyz')!;
      assert.equal(last.httpVersion, '1.1');
      assert.notEqual(last.headers.connection, 'close');
      assert.equal(last.headers.cookie, undefined);
      assert.equal(last.headers.host, NAME);
      assert.equal(last.headers['x-forwarded-for'], '127.0.0.1');
    });

    it('takes a server away that is not ready', { skip: !kind.probes }, async () => {
      ready = false;
      await until('only the ingress is asked', async () => {
        const before = refused();
        for (let n = 0; n < 4; n++) await send('GET', '/healthz');
        return refused() === before;
      });
    });

    it('keeps the id of a request, and makes one where there is none', async () => {
      assert.equal((await send('GET', '/healthz', { 'x-request-id': 'mine' })).headers['x-request-id'], 'mine');
      assert.match(String((await send('GET', '/healthz')).headers['x-request-id']), /^[\w-]{32,36}$/);
    });

    it('lets a body pass that is larger than proxies take by themselves, and one without a length', async () => {
      const broken = await send(
        'POST',
        '/api/events',
        { 'content-length': String(4 << 20), 'idempotency-key': 'large' },
        'x'.repeat(4 << 20),
      );
      assert.deepEqual([broken.status, broken.json.error?.code], [400, 'invalid_json']);
      assert.equal(
        (await send('POST', '/api/events', { 'transfer-encoding': 'chunked', 'idempotency-key': 'chunked' }, BATCH))
          .status,
        200,
      );
    });

    it('serves callers that speak HTTP/1.0, or says in words that it does not', async () => {
      const socket = connectTls({ port, host: '127.0.0.1', servername: NAME, ca: CERTIFICATE.cert });
      socket.write(`GET /healthz HTTP/1.0\r\nHost: ${NAME}\r\n\r\n`);
      assert.match(await text(socket), kind.old);
    });
  });
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
