/** Where images are fetched from: a server on loopback that has the pictures in memory. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { closeServer, listenOnLoopback } from '../../loopback.js';

export interface ImageOrigin {
  /** `127.0.0.1:port` */
  host: string;
  close(): Promise<void>;
}

/** Serves each file by its name. The query is ignored: it only makes addresses differ. */
export async function startOrigin(files: readonly string[]): Promise<ImageOrigin> {
  const pictures = new Map(files.map((file) => [`/${basename(file)}`, readFileSync(file)]));
  const server = createServer((request, response) => {
    const picture = pictures.get((request.url ?? '').split('?')[0]!);
    if (picture === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': picture.length }).end(picture);
  });
  const host = await listenOnLoopback(server);
  return { host, close: () => closeServer(server, () => server.closeAllConnections()) };
}
