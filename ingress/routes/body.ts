/** Bodies: from their bytes to what a route is asked for. */
import { ApiError, validationError } from '../../shared/api/errors.js';
import { readsText } from '../../shared/api/validate/gateway/kinds.js';
import type { CheckInput } from '../../shared/api/validate/issues.js';
import { type Edge, type Exchange, type Handler, release } from '../http/exchange.js';
import { type Headers, isJson, isPlain, isText } from '../http/headers.js';
import { readBody } from '../http/read-body.js';
import { sendError, sendJson } from '../http/response.js';
import { LARGE_BODY, type ParsedBody } from '../parse/body-parser.js';
import { withoutMark } from '../parse/byte-order-mark.js';
import type { BodyKind, ParseResult } from '../parse/parse-body.js';

/** The handler of a POST whose body is read as `kind`; `answer` gives the JSON of its answer, or rejects. */
export function answering(
  kind: BodyKind,
  answer: (edge: Edge, exchange: Exchange, input: CheckInput) => Promise<string> | string,
): Handler {
  const answerTo = async (edge: Edge, exchange: Exchange, sent: SentPieces): Promise<string> => {
    const { result } = await parseBody(edge, exchange, kind, sent);
    return answer(edge, exchange, validInput(edge, result));
  };
  return (edge, exchange) => {
    readBody(edge, exchange, (pieces, length) => {
      answerTo(edge, exchange, { pieces: withoutMark(pieces), length }).then(
        (json) => {
          release(edge, exchange);
          sendJson(edge, exchange, json);
        },
        (error: unknown) => {
          release(edge, exchange);
          sendError(edge, exchange, error);
        },
      );
    });
  };
}

/** `pieces`: the body, one buffer up to `LARGE_BODY`. */
interface SentPieces {
  pieces: Buffer[];
  length: number;
}

/** Reads a body as `kind`, a large one on a thread. Throws 415, rejects with 503. */
export function parseBody(
  edge: Edge,
  { headers, key, requestId }: Exchange,
  kind: BodyKind,
  { pieces, length }: SentPieces,
): ParsedBody | Promise<ParsedBody> {
  edge.metrics.bodyBytes.observe(length);
  const media = mediaError(headers, kind);
  if (media) throw media;
  const started = performance.now();
  const timed = (body: ParsedBody): ParsedBody => {
    edge.metrics.validation.observe((performance.now() - started) / 1000);
    return body;
  };
  if (length > LARGE_BODY) return edge.parser.later(kind, pieces, key.team, requestId).then(timed);
  const body = pieces[0]!;
  return timed({ body, result: edge.parser.now(kind, body), values: 0, cost: 0 });
}

/** The 415 of a body that is not plain JSON. */
function mediaError(headers: Headers, kind: BodyKind): ApiError | undefined {
  if (!isPlain(headers)) {
    const message = 'A body with a Content-Encoding is not read. Send it as it is, without that header.';
    return new ApiError('unsupported_media_type', message, { param: 'content-encoding' });
  }
  if (isJson(headers) || (readsText(kind) && isText(headers))) return undefined;
  const message = 'Send JSON in UTF-8, as Content-Type: application/json.';
  return new ApiError('unsupported_media_type', message, { param: 'content-type' });
}

/** Throws 400. */
export function validInput({ metrics }: Edge, result: ParseResult): CheckInput {
  if (result.ok) return result.value;
  if (result.ok === false && result.unexplained) metrics.unexplained.inc();
  throw result.ok === null ? new ApiError('invalid_json', result.invalid) : validationError(result.issues);
}
