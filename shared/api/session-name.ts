/** Gives the body of a session check another `external_session_id`. */
import { memberAt, skipValue, valueStart } from '../json.js';

/** What stands from `from` to `to` gives way to `text`. */
export interface Replacement {
  from: number;
  to: number;
  text: string;
}

/** `json`: the body; all else of it stays as it was written. Positions are units of that text. */
export function renaming(json: string, externalSessionId: string): Replacement {
  const start = valueStart(json);
  const text = JSON.stringify(externalSessionId);
  const at = memberAt(json, start, 'external_session_id');
  if (at >= 0) return { from: at, to: skipValue(json, at), text };
  return { from: start + 1, to: start + 1, text: `"external_session_id":${text},` };
}
