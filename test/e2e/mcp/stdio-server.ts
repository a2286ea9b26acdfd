/** The server of tests over its standard input and output. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { mcpServer } from './server.ts';

const pictures = JSON.parse(process.env.PICTURES ?? '{}');
const done = { calls: 0, cancelled: 0 };
const make = mcpServer(done, pictures);
serveStdio((context) => make(context));
// Tests read that the key of Weir is not here.
process.stderr.write(`key: ${process.env.WEIR_KEY ?? 'none'}\n`);
