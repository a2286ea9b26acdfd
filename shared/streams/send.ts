/**
 * Ways to send what the client would send at a greater cost. It makes an object, a promise and a timer for each command, which costs several
 * times what Redis takes for a small one, and copies bytes into a buffer of their command.
 */
import { Command as ClientCommand } from 'ioredis';
import type { Redis } from './client.js';
import type { Call, Command } from './script.js';

const NO_ARGUMENTS: never[] = [];

/**
 * Sends commands as one: encoded together, with one promise for their answers. Resolves to the answers in order: strings are buffers, and an error is a value. No other command of this connection comes between. Calls
 * of a script that Redis has forgotten are made again behind the others. Rejects where the last command has no answer: then none, some or
 * all of them have run.
 */
export async function sendTogether(redis: Redis, commands: readonly (Command | Call)[]): Promise<unknown[]> {
  if (redis.status !== 'ready' || !redis.stream.writable)
    throw new Error("Stream isn't writeable: there is no connection");
  const answers: unknown[] = [];
  const encoded = commands.map((command) => ('on' in command ? command.on(redis) : command));
  const [name, ...values] = encoded.pop()!;
  sendAhead(redis, encoded, answers);
  // The client sends the last one, with its limits of time.
  answers.push(await redis.callBuffer(String(name), ...values).catch(refusalAsValue));
  for (const [i, command] of commands.entries()) {
    if ('run' in command && isForgotten(answers[i])) answers[i] = await command.run(redis).catch(refusalAsValue);
  }
  return answers;
}

function refusalAsValue(error: Error): Error {
  if (error.name === 'ReplyError') return error;
  throw error;
}

const isForgotten = (answer: unknown): boolean => answer instanceof Error && answer.message.startsWith('NOSCRIPT ');

/** Their answers are in `answers` before that of the next command. */
function sendAhead({ stream, commandQueue }: Redis, commands: readonly Command[], answers: unknown[]): void {
  for (const piece of piecesOf(commands)) stream.write(piece);
  const take = (answer: unknown): void => {
    answers.push(answer);
  };
  const command = { name: '', args: NO_ARGUMENTS, resolve: take, reject: take };
  for (let i = 0; i < commands.length; i++) commandQueue.push({ command, stream, select: 0 });
}

/**
 * `XADD` of a work entry. The body is written from where it is and must not change: copying it took a twentieth of the CPU of an ingress
 * process under batches.
 */
export async function addEntry(redis: Redis, stream: string, header: string, body: Buffer): Promise<void> {
  const fields = [stream, '*', 'header', header, 'body', body];
  const command = new ClientCommand('xadd', fields, { replyEncoding: 'utf8' });
  command.toWritable = () => {
    const pieces = piecesOf([['XADD', ...fields]]);
    const last = pieces.pop()!;
    for (const piece of pieces) redis.stream.write(piece);
    // The client writes it behind them.
    return last;
  };
  await redis.sendCommand(command);
}

/** Commands as they are sent (RESP 2). */
function piecesOf(commands: readonly Command[]): Buffer[] {
  const pieces: Buffer[] = [];
  let text = '';
  for (const command of commands) {
    text += `*${command.length}\r\n`;
    for (const argument of command) {
      if (typeof argument === 'object') {
        pieces.push(Buffer.from(`${text}$${argument.length}\r\n`), argument);
        text = '\r\n';
      } else {
        const value = String(argument);
        text += `$${Buffer.byteLength(value)}\r\n${value}\r\n`;
      }
    }
  }
  if (text !== '') pieces.push(Buffer.from(text));
  return pieces;
}
