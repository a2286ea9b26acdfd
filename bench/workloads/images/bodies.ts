/** Bodies of `POST /api/artifact`, one for each picture: with the picture in it, or with its address. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type BenchScope, type LoadBody, MARKED, stampedBody } from '../bodies.js';

export type ImageTransport = 'inline' | 'url';

/** What an image load sends. */
export interface Pictures {
  files: readonly string[];
  way: ImageTransport;
  /** `127.0.0.1:port` of the server that has them */
  origin: string;
}

/** The external session has the tag of the benchmark, by which its rows are counted. */
export function imageBodies({ files, way, origin }: Pictures, scope: BenchScope, tag: string): LoadBody[] {
  return files.map((file) => {
    const content =
      way === 'inline'
        ? { kind: 'image', data: readFileSync(file).toString('base64') }
        : { kind: 'image', url: `http://${origin}/${basename(file)}?${MARKED}` };
    const value = { deployment_id: scope.deployment, external_session_id: `bench-${tag}-${MARKED}`, content };
    return stampedBody(JSON.stringify(value), 1, 0);
  });
}
