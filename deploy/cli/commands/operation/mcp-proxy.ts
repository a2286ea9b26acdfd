import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '../../../../shared/client/index.js';
import { type Arguments, type Command, type CommandOutput, CommandUsageError, optionsOf } from '../../command.js';
import { createMcpAsking } from '../../mcp/ask.js';
import { createMcpGuard, type McpGuard, type McpLeniency } from '../../mcp/guard.js';
import { createMcpHttp } from '../../mcp/http.js';
import { runMcpStdio } from '../../mcp/stdio.js';
import { numberOption, textOption } from '../../options.js';

const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Stands between an MCP client and an MCP server, and has Weir check what they tell each other. */
export const mcpProxy: Command = {
  usage: `weir mcp-proxy [options] -- COMMAND [ARGUMENT…]
weir mcp-proxy [options] --listen HOST:PORT --upstream URL

The first form starts COMMAND, a server that speaks MCP over its standard input and output, and stands between it and the
client that has started this command. The second form serves streamable HTTP, and sends on to the server at URL.

The API key is in the environment variable WEIR_KEY. COMMAND does not get it.

  --environment ID     environment of Weir that messages are checked in (default: the variable WEIR_ENVIRONMENT)
  --url URL            address of Weir (default: the variable WEIR_URL, else ${DEFAULT_URL})
  --run ID             run of all checks (default: one for each session)
  --metadata JSON      metadata of all checks, for conditions; "mcp" is added to it
  --on-failure WHAT    what to do where Weir has no verdict: refuse or pass (default: refuse)
  --unchecked WHAT     what to do with what Weir has no look at, such as recordings: refuse or pass (default: refuse)
  --timeout SECONDS    time for a verdict (default: 20)
  --max-bytes N        bytes of a message (default: 4194304)
  --in-flight N        messages that are checked at once; over HTTP, requests at once (default: 32)
  --listen HOST:PORT   where to serve HTTP; PORT alone is of 127.0.0.1, and 0 any free port
  --upstream URL       address of the MCP server, with its path, which is also the path here
  --allow NAMES        further names in Host and Origin that may call, separated by commas

Checked are arguments and results of tools, descriptions of tools, prompts, resources, requests for samples, and all else that
one side tells the other. A call that is stopped has a result with isError, any other request an error. Both name the violated
policies. The standard error says what was stopped, without content. The exit code is that of COMMAND.`,
  options: optionsOf({
    texts: 'environment url run metadata on-failure unchecked timeout max-bytes in-flight listen upstream allow',
  }),
  async run(given, output) {
    const limits = {
      mostBytes: numberOption(given, 'max-bytes', { default: 4 * 1024 * 1024, min: 1024, max: 64 * 1024 * 1024 }),
      inFlight: numberOption(given, 'in-flight', { default: 32, min: 1, max: 1000 }),
    };
    const run = textOption(given, 'run');
    if (run !== undefined && !/^[\w.:-]{1,128}$/.test(run)) {
      throw new CommandUsageError('--run: expected 1 to 128 letters, digits, ".", "_", ":" and "-"');
    }
    const note = (line: string): void => output.err(`weir mcp-proxy: ${line}`);
    const guard = guardOf(given, note);
    const [command, ...args] = given.positionals;
    const [listen, upstream] = [textOption(given, 'listen'), textOption(given, 'upstream')];
    if (command !== undefined && listen === undefined && upstream === undefined) {
      const { WEIR_KEY: _, ...env } = process.env;
      const { stdin: input, stdout } = process;
      const common = { ...limits, guard, note, run: run ?? `mcp-${randomUUID()}` };
      return await runMcpStdio({ ...common, command, args, env, input, output: stdout });
    }
    if (command !== undefined || listen === undefined || upstream === undefined) {
      throw new CommandUsageError('expected "-- COMMAND", or --listen and --upstream');
    }
    const { host, port } = placeOf(listen);
    const allowed = textOption(given, 'allow') ?? '';
    const server = createMcpHttp({ ...limits, guard, note, run, host, upstream: upstreamOf(upstream), allowed });
    return await serve(server, { host, port }, output);
  },
};

function guardOf(given: Arguments, note: (line: string) => void): McpGuard {
  const environment = textOption(given, 'environment') ?? process.env.WEIR_ENVIRONMENT ?? '';
  if (environment === '') throw new CommandUsageError('expected --environment, or WEIR_ENVIRONMENT');
  const apiKey = process.env.WEIR_KEY ?? '';
  if (apiKey === '') throw new CommandUsageError('expected an API key in the environment variable WEIR_KEY');
  const url = textOption(given, 'url') ?? process.env.WEIR_URL ?? DEFAULT_URL;
  const seconds = numberOption(given, 'timeout', { default: 20, min: 1, max: 600 });
  const metadata = metadataOf(textOption(given, 'metadata') ?? '{}');
  const leniency = (name: string): McpLeniency => {
    const value = textOption(given, name) ?? 'refuse';
    if (value === 'refuse' || value === 'pass') return value;
    throw new CommandUsageError(`--${name}: expected refuse or pass`);
  };
  const client = clientOf({ url, apiKey, timeoutMs: seconds * 1000 });
  const asking = createMcpAsking(client, { environment, metadata });
  return createMcpGuard({ asking, note, onFailure: leniency('on-failure'), unchecked: leniency('unchecked') });
}

function clientOf(options: { url: string; apiKey: string; timeoutMs: number }): ReturnType<typeof createClient> {
  try {
    return createClient({ ...options, attemptTimeoutMs: Math.min(15_000, options.timeoutMs) });
  } catch (error) {
    throw new CommandUsageError(`--url, WEIR_URL, WEIR_KEY: ${(error as Error).message}`);
  }
}

function metadataOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  throw new CommandUsageError('--metadata: expected a JSON object');
}

function placeOf(text: string): { host: string; port: number } {
  const [, v6, name, port] = /^(?:(?:\[([\da-f:]+)\]|([\w.-]*)):)?(\d{1,5})?$/i.exec(text) ?? [];
  if (text === '' || Number(port ?? 0) > 65_535 || (port === undefined && v6 === undefined && !name)) {
    throw new CommandUsageError('--listen: expected HOST:PORT, for example 127.0.0.1:8765');
  }
  return { host: v6 ?? (name || '127.0.0.1'), port: Number(port ?? 0) };
}

function upstreamOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.hash === '') return url;
  throw new CommandUsageError(
    '--upstream: expected http://host:port/path or https://host/path, without user and password',
  );
}

/** Serves until a signal. */
async function serve(
  server: Server,
  { host, port }: { host: string; port: number },
  output: CommandOutput,
): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(`${host}:${port}: cannot be listened on (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  const { address, port: taken, family } = server.address() as AddressInfo;
  output.out(`Listening on http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  server.close();
  server.closeAllConnections();
  return 0;
}
