/** What a route has of streams. */
import type { ResultRecord } from '../../shared/api/results/record.js';
import type { StreamPiece } from '../../shared/api/validate/issues.js';
import type { TextOffset } from '../../shared/streams/looks.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import type { Scope } from '../admission/directory.js';
import type { CheckCaller } from '../dispatch/check-request.js';

/** What is known of a stream after a piece. */
export interface StreamAnswer {
  /** up to where it can be shown */
  safe: TextOffset;
  /** JSON of the ids of delayed policies */
  delayed: string;
  final: boolean;
  /** of the check that is stored; absent: none is, and nothing is flagged */
  record?: ResultRecord;
  /** what was checked, where it is at hand (UTF-8) */
  text?: Buffer;
}

export interface TextStreams {
  /** what it counts */
  meters: StreamMeters | undefined;
  /** Rejects with an ApiError. */
  add(caller: CheckCaller, piece: StreamPiece, scope: Scope): Promise<StreamAnswer>;
}

const REFUSALS = ['gap', 'differs', 'opening', 'busy', 'over', 'long', 'places'] as const;
const ENDS = ['flagged', 'final', 'expired'] as const;
export type StreamMeters = ReturnType<typeof streamMeters>;

export const streamMeters = (registry: Registry) => {
  const { counterBy } = metersOf(registry);
  return {
    refused: counterBy('reason', REFUSALS, 'weir_stream_pieces_refused_total', 'Pieces of streams that were refused'),
    ended: counterBy('how', ENDS, 'weir_streams_ended_total', 'Streams whose check was stored'),
  };
};
