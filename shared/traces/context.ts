/** The header `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/): `00-<trace id>-<span id>-<flags>`. */

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export const isTraceparent = (text: string): boolean => TRACEPARENT.test(text);

/** Whether the trace is recorded: the last bit of its flags. `traceparent`: a valid one, '' or absent. */
export function isSampled(traceparent: string | undefined): traceparent is string {
  if (traceparent === undefined || traceparent === '') return false;
  const digit = traceparent.charCodeAt(54);
  // An odd digit has an odd code from 0 to 9, an even one from a to f.
  return digit <= 57 ? digit % 2 === 1 : digit % 2 === 0;
}

/** 32 hexadecimal digits. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);
/** The trace in a line of the log. `traceparent`: a valid one, '' or absent. */
export const loggedTrace = (traceparent: string | undefined): { trace_id?: string } =>
  traceparent === undefined || traceparent === '' ? {} : { trace_id: traceIdOf(traceparent) };
/** 16 hexadecimal digits. */
export const spanIdOf = (traceparent: string): string => traceparent.slice(36, 52);
