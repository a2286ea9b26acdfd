/**
 * Why an image could not be looked at: a closed set of reasons for metrics and logs, and what the caller is told. A caller
 * could use the service to probe the operator's network. So all reasons that reveal whether an address exists, answers or is
 * forbidden have the same note and the same fault.
 */
import { LIMITS } from '../../shared/api/limits.js';

/** Limits of an image (artifact limits of the contract). */
export const IMAGE_LIMITS = {
  /** decoded bytes of an image, inline or fetched */
  bytes: LIMITS.imageBytes,
  pixels: 50_000_000,
  side: 16_384,
  redirects: 3,
  urlCharacters: LIMITS.urlCharacters,
  fetchMs: 10_000,
} as const;

/**
 * Who can correct it. `caller`: the bytes or the address are wrong, and another try fails again. `origin`: the host of the
 * image could not deliver. `service`: this installation was too busy or failed.
 */
export type Fault = 'caller' | 'origin' | 'service';

const UNREACHED = 'The image could not be fetched: its address could not be reached.';
const NOT_200 = 'The image could not be fetched: its host did not answer with status 200.';

const by =
  (fault: Fault) =>
  (note: string): { fault: Fault; note: string } => ({ fault, note });
const [caller, origin, service] = [by('caller'), by('origin'), by('service')];

const FAILURES = {
  url: caller(
    'The image could not be fetched: its URL must be http or https, without user name or password, of at most 8,192 characters.',
  ),
  refused: origin(UNREACHED),
  unresolved: origin(UNREACHED),
  unreachable: origin(UNREACHED),
  redirects: caller('The image could not be fetched: more than 3 redirects.'),
  /** 4xx, except those that another try may pass */
  status_4xx: caller(NOT_200),
  status_other: origin(NOT_200),
  encoding: caller(
    'The image could not be fetched: its host sent it with a content encoding, though none was accepted.',
  ),
  incomplete: origin('The image could not be fetched: the answer of its host was broken off.'),
  timeout: origin('The image could not be fetched: it took too long.'),
  fetch_busy: service('The image could not be fetched: too many fetches are under way. Try again later.'),
  /** its time was up before its turn came */
  fetch_late: service('The image could not be fetched in time. Try again later.'),
  too_large: caller('The image is too large: at most 10 MiB are accepted.'),
  data: caller('The image data is not valid base64: expected base64, or a data URI that declares base64.'),
  empty: caller('The image is empty.'),
  not_an_image: caller('The content is not an image: expected JPEG, PNG, WebP or GIF.'),
  corrupt: caller('The image could not be decoded: its data is damaged or incomplete.'),
  dimensions: caller('The image has no pixels: its width or height is 0.'),
  too_many_pixels: caller('The image has too many pixels: at most 50 megapixels are accepted.'),
  side_too_long: caller('The image is too wide or too high: at most 16,384 pixels a side are accepted.'),
  /** it took too much computing */
  decode_timeout: caller('The image could not be decoded: it took too long.'),
  /** it took too long by the clock, but not too much computing: others had the processor */
  decode_late: service('The image could not be decoded in time: the service is too busy. Try again later.'),
  decode_memory: caller('The image could not be decoded: it needs too much memory.'),
  crashed: service('The image could not be decoded: the decoder ended unexpectedly.'),
  decode_busy: service('The image could not be decoded: too many images are waiting. Try again later.'),
  cancelled: service('The image could not be decoded in time.'),
};

export type FailureReason = keyof typeof FAILURES;

export const FAILURE_REASONS = Object.keys(FAILURES) as FailureReason[];

export interface ImageFailure {
  ok: false;
  reason: FailureReason;
  /** a sentence for the caller; never names an address, a status or what was sent */
  note: string;
  fault: Fault;
}

export function failure(reason: FailureReason): ImageFailure {
  return { ok: false, reason, ...FAILURES[reason] };
}
