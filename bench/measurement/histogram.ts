/** Latencies in an HdrHistogram: microseconds from 1 µs to 2 minutes, three significant digits. */
import * as hdr from 'hdr-histogram-js';

export interface Latency {
  /** all in milliseconds, except `count` */
  p50: number;
  p90: number;
  p99: number;
  p999: number;
  max: number;
  mean: number;
  count: number;
}

const HIGHEST = 120_000_000;

export interface LatencyHistogram {
  /** `ms` may be fractional; above two minutes it counts as two minutes */
  record(ms: number): void;
  summary(): Latency;
}

export function latencyHistogram(): LatencyHistogram {
  const histogram = hdr.build({
    bitBucketSize: 32,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST,
    numberOfSignificantValueDigits: 3,
    useWebAssembly: false,
  });
  const at = (percentile: number): number =>
    histogram.totalCount === 0 ? 0 : histogram.getValueAtPercentile(percentile) / 1000;
  return {
    record: (ms) => histogram.recordValue(Math.min(HIGHEST, Math.max(1, Math.round(ms * 1000)))),
    summary: () => ({
      p50: at(50),
      p90: at(90),
      p99: at(99),
      p999: at(99.9),
      max: histogram.totalCount === 0 ? 0 : histogram.maxValue / 1000,
      mean: histogram.totalCount === 0 ? 0 : histogram.mean / 1000,
      count: histogram.totalCount,
    }),
  };
}
