/** The Python client against a service of which each answer is scripted, by threads and by asyncio. Skipped where there is no Python. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ENDPOINTS, type Endpoint } from '#weir/shared/api/endpoints';
import { EVENT_TYPES } from '#weir/shared/api/types';
import { packageRoot } from '#weir/shared/paths';
import { errorBody, type Reaction, refusal, SECRET, sharedService } from '../../shared/client/support.ts';
import { operationOf } from '../../support/api/openapi.ts';
import { createCertificate } from '../../support/network/certificate.ts';
import { built, CLIENT_FOLDER, installed, runPython, whyNotInstalled } from './python/package.ts';
import { type Called, type PythonCall, type PythonKind, python, sharedPython, skip } from './python/python.ts';
import { METHODS, PYTHON_CLIENT, queryOf, renderEndpoints, renderTypes, snakeCase } from './python-files.ts';

describe('the files of the Python client that are made of the OpenAPI document', () => {
  for (const [file, made] of [
    ['_endpoints.py', renderEndpoints()],
    ['types.py', renderTypes()],
  ] as const) {
    it(`are as it says: ${file} (DOCS=write makes it anew)`, () => {
      const path = join(packageRoot, PYTHON_CLIENT, 'weir', file);
      if (process.env.DOCS === 'write') writeFileSync(path, made);
      assert.equal(readFileSync(path, 'utf8'), made);
    });
  }
});

describe('the packages of the Python client', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-python-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string): string => {
    mkdirSync(join(folder, name), { recursive: true });
    return join(folder, name);
  };
  const NAMES = 'import sys, zipfile; print(*sorted(zipfile.ZipFile(sys.argv[1]).namelist()), sep="\\n")';
  const UNPACK = 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])';

  it('have the version of Weir, and its name in one place', () => {
    const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
    const project = readFileSync(join(CLIENT_FOLDER, 'pyproject.toml'), 'utf8');
    assert.ok(project.includes(`\nversion = "${version}"\n`));
    assert.equal(runPython(['-c', 'import weir; print(weir.__version__)']).trim(), version);
  });

  it('are a wheel, and a source distribution that the same wheel is built of', () => {
    const wheel = built('wheel', at('one'));
    const names = runPython(['-c', NAMES, wheel]).trim().split('\n');
    const sources = readdirSync(join(CLIENT_FOLDER, 'weir')).filter((name) => /\.(py|typed)$/.test(name));
    const info = ['LICENSE', 'METADATA', 'RECORD', 'WHEEL'].map((name) => `weir_client-0.1.0.dist-info/${name}`);
    assert.deepEqual(names, [...sources.map((name) => `weir/${name}`), ...info].sort());
    assert.ok(names.includes('weir/py.typed'));
    const archive = built('sdist', at('two'));
    runPython(['-c', UNPACK, archive, at('three')]);
    const [unpacked] = readdirSync(at('three'));
    const again = built('wheel', at('four'), join(at('three'), unpacked!));
    assert.ok(readFileSync(again).equals(readFileSync(wheel)));
  });

  // The wheel is installed by the test of the documents, whose examples run by it.
  it('are installed from their sources without a network, and are typed', { skip: whyNotInstalled() ?? false }, () => {
    const program = installed(built('sdist', at('sdist')), at('venv'));
    const code = 'import weir, pathlib; print(pathlib.Path(weir.__file__).parent)';
    const place = runPython(['-c', code], { program, cwd: folder }).trim();
    assert.ok(place.startsWith(at('venv')), place);
    assert.ok(existsSync(join(place, 'py.typed')));
  });

  const isTyped = !skip && spawnSync('python3', ['-m', 'mypy', '--version'], { timeout: 60_000 }).status === 0;
  it('pass mypy', { skip: isTyped ? false : 'this Python has no mypy' }, () => {
    const cache = ['--cache-dir', at('mypy')];
    runPython(['-m', 'mypy', '--strict', '--python-version', '3.10', ...cache, 'weir', 'build_backend.py']);
  });
});

describe('the Python client', { skip }, () => {
  const service = sharedService();
  const ask = sharedPython();
  const KINDS: readonly PythonKind[] = ['sync', 'async'];
  const messages = { messages: [{ role: 'user', content: 'hi 😀' }] };

  const call = (kind: PythonKind, method: string, more: Partial<PythonCall> = {}): Promise<Called> =>
    ask(kind, { url: service.url, key: SECRET, method, ...more });
  const check = (kind: PythonKind, script: Reaction[], more: Partial<PythonCall> = {}): Promise<Called> => {
    service.script.push(...script);
    return call(kind, 'check_session', { arguments: [messages], ...more });
  };

  /** A test of each kind. */
  const both = (name: string, test: (kind: PythonKind) => Promise<void>): void => {
    for (const kind of KINDS) it(`${name} (${kind})`, () => test(kind));
  };

  it('reads answers however they are cut, as tests in Python say', () => {
    if ('missing' in python) return;
    const { status, stderr } = spawnSync(python.program, [join(packageRoot, 'test/deploy/clients/python/http.py')], {
      env: { ...process.env, PYTHONPATH: join(packageRoot, PYTHON_CLIENT), PYTHONDONTWRITEBYTECODE: '1' },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });

  it('has a method for every endpoint that programs call, with every parameter of its query, by threads and by asyncio', async () => {
    const [threads, loops] = await Promise.all(KINDS.map((kind) => call(kind, 'signatures')));
    assert.ok(threads?.value, threads?.crash);
    const { aclose, guard_stream: laterGuard, ...rest } = loops!.value;
    const {
      close,
      guard_stream: guard,
      ...methods
    } = threads.value as Record<string, [string, string, string, string][]>;
    // They take sources of different kinds.
    assert.deepEqual(laterGuard.slice(1), guard!.slice(1));
    assert.deepEqual([rest, aclose], [methods, close]);
    assert.deepEqual(Object.keys(methods).sort(), [...METHODS.map(snakeCase), 'run_graph_pages'].sort());
    for (const name of METHODS) {
      const taken = methods[snakeCase(name)]!.map(([parameter]) => parameter);
      const { method, path, alone }: Endpoint = ENDPOINTS[name];
      const id = /\{(\w+)\}/.exec(path)?.[1];
      const more = method === 'POST' ? ['request', ...(alone ? [] : ['idempotency_key'])] : id ? [id] : [];
      assert.deepEqual([...taken].sort(), [...queryOf(name), ...more, 'timeout', 'request_id'].sort(), name);
    }
  });

  both('sends what each endpoint expects, and gives back its answer', async (kind) => {
    const results = Object.fromEntries(EVENT_TYPES.map((type) => [type, {}]));
    for (const name of METHODS) {
      const { method, path, versions, views, redacts }: Endpoint = ENDPOINTS[name];
      const value = { answer: name, flagged: false, failed: 0, results, order: [] };
      service.script.push(() => ({ body: value }));
      const named: Record<string, unknown> = {};
      for (const query of queryOf(name)) named[query] = SAMPLES[query] ?? `é ${query}`;
      const [first] = operationOf(name).parameters;
      const argument = path.includes('{') && first && 'in' in first ? [`/${first.name}`] : [];
      if (name === 'findSession') argument.push(String(named.external_session_id));
      const body = { events: [], event: { content: 'é \ud83d' } };
      const made = { arguments: method === 'POST' ? [body] : argument, named: { ...named } };
      if (name === 'findSession') delete made.named.external_session_id;
      const called = await call(kind, snakeCase(name), made);
      assert.deepEqual(called.value, value, `${name}: ${called.crash ?? called.error?.text}`);
      const { headers, method: sent, path: target, json } = service.received.at(-1)!;
      assert.equal(sent, method);
      assert.deepEqual(json, method === 'POST' ? body : undefined);
      const url = new URL(target, service.url);
      assert.equal(url.pathname, path.replace(/\{\w+\}/, encodeURIComponent(String(argument[0]))));
      const expected = Object.fromEntries(Object.entries(named).map(([key, one]) => [key, String(one)]));
      assert.deepEqual(Object.fromEntries(url.searchParams), expected, name);
      assert.equal(views === true, 'offsets' in named);
      assert.equal(redacts === true, 'redact' in named);
      const open = name.endsWith('z');
      assert.equal(headers.authorization, open ? undefined : `Bearer ${SECRET}`);
      assert.equal(headers['service-version'], open ? undefined : versions.at(-1));
      assert.equal(headers['idempotency-key'], undefined);
      assert.match(String(headers['user-agent']), /^weir-client-python\/\d/);
    }
  });

  both('asks for code points where evidence is asked for, and else for nothing', async (kind) => {
    for (const [named, query] of [
      [{}, ''],
      [{ explain: true }, '?explain=true&offsets=codepoints'],
      [{ matched: true }, '?offsets=codepoints&matched=true'],
      [{ explain: true, offsets: 'utf16', policies: 'flagged' }, '?explain=true&policies=flagged&offsets=utf16'],
    ] as const) {
      await check(kind, [], { named });
      assert.equal(service.received.at(-1)!.path, `/api/session/check${query}`);
    }
  });

  both('tries again, the same to the byte, while the service is busy, late or cut off', async (kind) => {
    const cut: Reaction = (_, res) => void res.destroy();
    const halfway: Reaction = (_, res) => {
      res.writeHead(200, { 'content-length': '100' });
      res.write('{"flagged":', () => res.destroy());
      return undefined;
    };
    const options = { idempotency_keys: true };
    const busy = [
      refusal(429, 'rate_limited'),
      refusal(503, 'overloaded'),
      refusal(409, 'idempotency_in_progress'),
      refusal(504, 'evaluation_timeout', {}),
    ];
    const gateway: Reaction = () => ({ status: 502, headers: { 'retry-after': '0' }, body: '<html>' });
    for (const script of [busy, [cut], [halfway], [gateway]]) {
      service.received.length = 0;
      const called = await check(kind, script, { options });
      assert.deepEqual(called.value, {}, called.error?.text);
      const sent = service.received.map(({ headers, json }) => [headers['idempotency-key'], JSON.stringify(json)]);
      assert.equal(sent.length, script.length + 1);
      assert.equal(new Set(sent.map(String)).size, 1);
      assert.match(String(sent[0]![0]), /^[0-9a-f-]{36}$/);
    }
  });

  both('does not try again after a 504 without a key: its check goes on', async (kind) => {
    const result = { internal_session_id: 'i', result_url: '/x' };
    const body = errorBody('api_error', 'evaluation_timeout', { result });
    const late: Reaction = () => ({ status: 504, headers: { 'retry-after': '0' }, body });
    const { error } = await check(kind, [late]);
    assert.deepEqual([error?.class, error?.attempts, error?.result], ['ServiceError', 1, result]);
    assert.deepEqual((await check(kind, [late], { named: { idempotency_key: 'mine' } })).value, {});
    service.script.push(late);
    assert.deepEqual((await call(kind, 'get_risk', { named: { id: '1' } })).value, {});
  });

  both('raises what the service says, at once where nothing would change', async (kind) => {
    const issues = [{ path: 'messages', code: 'type', message: 'expected array' }];
    const cases: [status: number, type: string, code: string][] = [
      [400, 'invalid_request_error', 'validation_failed'],
      [401, 'authentication_error', 'invalid_api_key'],
      [409, 'conflict_error', 'idempotency_mismatch'],
      [422, 'invalid_request_error', 'not_evaluable'],
      [500, 'api_error', 'internal_error'],
    ];
    for (const [status, type, code] of cases) {
      const more = { param: 'messages', region: null, issues };
      const { error } = await check(kind, [() => ({ status, body: errorBody(type, code, more) })]);
      const { text, message, checked, ...told } = error!;
      assert.equal(text, `This is ${code}.`);
      assert.deepEqual(told, {
        class: 'ServiceError',
        type,
        attempts: 1,
        code,
        status,
        request_id: 'r-1',
        param: 'messages',
        region: null,
        issues,
        retry_after: null,
        result: null,
        items: null,
      });
    }
    assert.equal(service.received.length, cases.length);
  });

  both('asks streams for characters of Python and nothing more, and repeats a piece without a key', async (kind) => {
    service.script.push(() => ({ status: 504, body: errorBody('api_error', 'evaluation_timeout') }));
    const piece = { stream_id: 's', sequence: 0, delta: '😀' };
    const options = { idempotency_keys: true };
    assert.deepEqual((await call(kind, 'check_stream', { arguments: [piece], options })).value, {});
    for (const { path, headers, json } of service.received) {
      assert.deepEqual([path, json], ['/api/stream/check?offsets=codepoints', piece]);
      assert.equal(headers['idempotency-key'], undefined);
    }
    assert.equal(service.received.length, 2);
  });

  both('repeats a restoring without a key, and asks for numbered marks by their word', async (kind) => {
    service.script.push(() => ({ status: 504, body: errorBody('api_error', 'evaluation_timeout') }));
    service.script.push(() => ({ body: { text: ['zebra'] } }));
    const request = { text: ['[TERM_1]'], sealed: 'AQ' };
    const options = { idempotency_keys: true };
    assert.deepEqual((await call(kind, 'restore', { arguments: [request], options })).value, { text: ['zebra'] });
    for (const { path, headers, json } of service.received) {
      assert.deepEqual([path, json, headers['idempotency-key']], ['/api/restore', request, undefined]);
    }
    assert.equal(service.received.length, 2);
    const named = { redact: 'reversible' };
    await call(kind, 'check_session', { arguments: [{ messages: [] }], named });
    assert.equal(service.received.at(-1)!.path, '/api/session/check?redact=reversible');
  });

  both('gives up after its attempts, and where Retry-After exceeds its time', async (kind) => {
    const busy = [1, 2, 3].map(() => refusal(429, 'rate_limited'));
    const { error } = await check(kind, busy, { options: { retries: 2 } });
    assert.deepEqual([error?.type, error?.attempts, error?.retry_after], ['rate_limit_error', 3, 0]);
    const hour = await check(kind, [refusal(503, 'unavailable', { 'retry-after': '3600' })]);
    assert.deepEqual([hour.error?.attempts, hour.error?.retry_after], [1, 3600]);
  });

  both('waits as long as Retry-After says', async (kind) => {
    const started = performance.now();
    assert.deepEqual((await check(kind, [refusal(503, 'overloaded', { 'retry-after': '1' })])).value, {});
    assert.ok(performance.now() - started >= 999);
  });

  both('ends when its time is over, also within an answer that trickles', async (kind) => {
    const silent: Reaction = () => undefined;
    const trickle: Reaction = (_, res) => {
      res.writeHead(200);
      const timer = setInterval(() => res.write(' '), 10);
      res.on('close', () => clearInterval(timer));
      return undefined;
    };
    for (const reaction of [silent, trickle]) {
      const { error } = await check(kind, [reaction], { named: { timeout: 0.1 } });
      assert.deepEqual([error?.class, error?.type], ['CallTimeout', 'timeout_error']);
    }
    const again = await check(kind, [silent], { options: { attempt_timeout: 0.1 } });
    assert.deepEqual(again.value, {}, 'an attempt that is too slow is repeated');
  });

  it('can be cancelled by asyncio, also while it waits for another attempt', async () => {
    for (const reaction of [() => undefined, refusal(503, 'overloaded', { 'retry-after': '30' })] as Reaction[]) {
      assert.deepEqual(await check('async', [reaction], { cancel: 0.2 }), { value: 'cancelled' });
    }
    assert.deepEqual((await check('async', [])).value, {});
  });

  both('keeps its connection, and opens another one where the server has ended it', async (kind) => {
    const ports: (number | undefined)[] = [];
    let socket: Socket | undefined;
    const answer: Reaction = (_, res) => {
      socket = res.socket as Socket;
      ports.push(socket.remotePort);
      return {};
    };
    for (let i = 0; i < 3; i++) assert.deepEqual((await check(kind, [answer])).value, {});
    assert.equal(new Set(ports).size, 1);
    socket!.destroy();
    await once(socket!, 'close');
    assert.deepEqual((await check(kind, [answer])).value, {});
    assert.notEqual(ports[3], ports[0]);
  });

  both('serves many calls at once', async (kind) => {
    const calls = Array.from({ length: 40 }, () => check(kind, []));
    for (const { value, error } of await Promise.all(calls)) assert.deepEqual(value, {}, error?.text);
  });

  both('follows no redirect, and recognises an answer that is not the service’s', async (kind) => {
    const elsewhere: Reaction = () => ({ status: 307, headers: { location: '/api/elsewhere' } });
    const cases: Reaction[] = [
      elsewhere,
      () => ({ body: '<html>' }),
      () => ({ body: [] }),
      () => ({ status: 404, body: '{}' }),
    ];
    for (const reaction of cases) {
      const { error } = await check(kind, [reaction]);
      assert.deepEqual([error?.class, error?.attempts], ['ProtocolError', 1]);
    }
    assert.ok(service.received.every(({ path }) => path === '/api/session/check'));
  });

  both('fails without the key in its error where the service cannot be reached, or is none', async (kind) => {
    const server = createServer((socket: Socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => socket.end('SSH-2.0-OpenSSH\r\n\r\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const url = `http://127.0.0.1:${port}`;
    const options = { options: { retries: 0 } };
    const odd = await check(kind, [], { url, ...options });
    assert.deepEqual([odd.error?.class, odd.error?.status], ['ProtocolError', 0]);
    const tls = await check(kind, [], { url: url.replace('http', 'https'), ...options });
    assert.equal(tls.error?.class, 'NetworkError');
    await new Promise((resolve) => server.close(resolve));
    const gone = await check(kind, [], { url, ...options });
    assert.deepEqual([gone.error?.class, gone.error?.code], ['NetworkError', 'ECONNREFUSED']);
    for (const each of [odd, tls, gone]) assert.ok(!JSON.stringify(each).includes(SECRET));
  });

  it('speaks TLS to whom its context trusts, over connections that it keeps, and to nobody else', async () => {
    const { key, cert } = createCertificate(['localhost']);
    const ports = new Set<number | undefined>();
    const server = createTlsServer({ key, cert }, (req, res) => {
      ports.add(req.socket.remotePort);
      res.end('{"status":"ok"}');
    });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    for (const kind of KINDS) {
      ports.clear();
      const url = `https://localhost:${port}`;
      for (let i = 0; i < 3; i++) {
        const { value, error } = await call(kind, 'healthz', { url, options: { ca: cert } });
        assert.deepEqual(value, { status: 'ok' }, error?.text);
      }
      assert.equal(ports.size, 1);
      const other = await call(kind, 'healthz', { url, options: { retries: 0 } });
      assert.deepEqual([other.error?.class, other.error?.code], ['NetworkError', 'CERTIFICATE_VERIFY_FAILED']);
    }
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  both('does not read an endless answer', async (kind) => {
    const endless: Reaction = (_, res) => {
      res.writeHead(200, { 'content-length': String(2 ** 40) });
      res.write('[');
      return undefined;
    };
    const { error } = await check(kind, [endless]);
    assert.deepEqual([error?.class, error?.attempts], ['ProtocolError', 1]);
  });

  both('refuses options that are not valid, and bodies that are no JSON, and sends nothing', async (kind) => {
    for (const [more, message] of [
      [{ options: { retries: -1 } }, /^retries: /],
      [{ options: { timeout: 0 } }, /^timeout: /],
      [{ options: { version: '2024-01-01' } }, /^version: /],
      [{ options: { connections: 0 } }, /^connections: /],
      [{ url: 'ftp://x' }, /^url: /],
      [{ url: 'http://user:secret@x' }, /^url: expected http:\/\/host:port[^@]*$/],
      [{ url: 'http://x/?a=1' }, /^url: /],
      [{ key: 'two words' }, /^api_key: /],
      [{ named: { idempotency_key: 'é' } }, /^idempotency_key: /],
      [{ named: { request_id: 'a b' } }, /^request_id: /],
      [{ named: { policies: 'some' } }, /^policies: /],
      [{ named: { offsets: 'chars' } }, /^offsets: /],
    ] as [Partial<PythonCall>, RegExp][]) {
      const { error, crash } = await check(kind, [], more);
      assert.equal(error?.class, 'UsageError', crash);
      assert.match(error.text, message);
    }
    assert.equal(service.received.length, 0);
  });

  describe('of many events', () => {
    const tool = (id: string, more: object = {}) => ({ type: 'tool', event_id: id, output: id, ...more });
    const tools = (count: number) => Array.from({ length: count }, (_, i) => tool(`t${i}`));
    const answering: Reaction = ({ json }) => {
      const results: Record<string, Record<string, unknown>> = Object.fromEntries(
        EVENT_TYPES.map((type) => [type, {}]),
      );
      const order = json.events.map((event: { event_id: string; output: string }, index: number) => {
        const taken = json.events.slice(index + 1).some((one: typeof event) => one.event_id === event.event_id);
        const result = { flagged: event.output === 'bad', note: event.output };
        if (!taken) results.tool![event.event_id] = result;
        const entry = { index, type: 'tool', event_id: event.event_id, run_id: json.run_id ?? 'g', flagged: false };
        return taken ? { ...entry, result } : entry;
      });
      return {
        body: {
          flagged: json.events.some((one: { output: string }) => one.output === 'bad'),
          failed: 1,
          results,
          order,
        },
      };
    };
    const checkEvents = (kind: PythonKind, events: unknown, more: object = {}, named: object = {}): Promise<Called> =>
      call(kind, 'check_events', { arguments: [{ environment_id: 'prod', events, ...more }], named: { ...named } });

    both('sends 50 at a time, and puts the answers together', async (kind) => {
      service.script.push(answering, answering, answering);
      const events = tools(120);
      events[3] = tool('twice', { output: 'first' });
      events[4] = tool('twice', { output: 'second' });
      events[55] = tool('twice', { output: 'third' });
      events[77] = tool('t77', { output: 'bad' });
      const { value, error } = await checkEvents(kind, events, {}, { idempotency_key: 'mine' });
      assert.ok(value, error?.text);
      assert.deepEqual(
        service.received.map(({ json }) => json.events.length),
        [50, 50, 20],
      );
      assert.deepEqual(
        service.received.map(({ headers }) => headers['idempotency-key']),
        ['mine-1', 'mine-2', 'mine-3'],
      );
      const [run] = service.received.map(({ json }) => json.run_id);
      assert.match(run, /^run_[0-9a-f]{32}$/);
      assert.deepEqual([value.flagged, value.failed, value.run_id], [true, 3, run]);
      assert.deepEqual(
        value.order.map(({ index, event_id }: { index: number; event_id: string }) => [index, event_id]),
        events.map((event, index) => [index, event.event_id]),
      );
      assert.equal(value.results.tool.twice.note, 'third');
      const notes = [3, 4, 55].map((i) => value.order[i].result?.note);
      assert.deepEqual(notes, ['first', 'second', undefined]);
      assert.deepEqual(Object.keys(value.results), [...EVENT_TYPES]);
    });

    both(
      'sends those that fit into one batch as they are, and fewer where many parents and links are declared',
      async (kind) => {
        service.script.push(answering);
        assert.ok((await checkEvents(kind, tools(50))).value);
        assert.equal(service.received[0]!.json.run_id, undefined);
        const links = Array.from({ length: 49 }, (_, i) => ({ event_id: `l${i}` }));
        service.script.push(answering, answering, answering);
        const events = tools(25).map((event) => ({ ...event, parent: { event_id: 'p' }, links }));
        assert.ok((await checkEvents(kind, events, { run_id: 'r' })).value);
        assert.deepEqual(
          service.received.slice(1).map(({ json }) => json.events.length),
          [10, 10, 5],
        );
      },
    );

    both('stops at the first batch that fails, and says what was checked and where the fault is', async (kind) => {
      const fault = {
        param: 'events[3].content',
        issues: [{ path: 'events[3].content', code: 'type', message: 'expected string' }],
      };
      service.script.push(answering, () => ({
        status: 400,
        body: errorBody('invalid_request_error', 'validation_failed', fault),
      }));
      const { error } = await checkEvents(kind, tools(120), { run_id: 'r' });
      assert.equal(service.received.length, 2);
      assert.deepEqual([error?.param, error?.issues[0].path], ['events[53].content', 'events[53].content']);
      assert.equal(error?.checked.order.length, 50);
      service.script.push(() => ({ body: { flagged: false } }));
      const odd = await checkEvents(kind, tools(60));
      assert.deepEqual([odd.error?.class, odd.error?.checked], ['ProtocolError', null]);
      const noList = await checkEvents(kind, 'x');
      assert.equal(noList.error?.class, 'UsageError');
      const long = await checkEvents(kind, tools(51), {}, { idempotency_key: 'x'.repeat(241) });
      assert.equal(long.error?.class, 'UsageError');
    });
  });

  both('reads the pages of a run graph up to the last one, and no page twice', async (kind) => {
    const named = { environment_id: 'prod', run_id: 'r' };
    const page =
      (next: string | null): Reaction =>
      () => ({ body: { nodes: [], next_cursor: next } });
    service.script.push(page('a'), page('b'), page(null));
    const { value } = await call(kind, 'run_graph_pages', { named });
    assert.deepEqual(
      value.map((one: { next_cursor: string | null }) => one.next_cursor),
      ['a', 'b', null],
    );
    assert.match(service.received[2]!.path, /&cursor=b$/);
    service.script.push(page('a'), page('a'));
    assert.equal((await call(kind, 'run_graph_pages', { named })).error?.class, 'ProtocolError');
  });
});

/** Values of parameters that are not just any text. */
const SAMPLES: Record<string, unknown> = {
  explain: true,
  policies: 'flagged',
  offsets: 'bytes',
  matched: true,
  redact: true,
  limit: 7,
  include_policy_names: true,
  labels: true,
  days: 3,
};
