/** A find of personal data, as looks make it and policies judge it. */
import type { Find } from '../../engine/probes/probe.js';

export interface PiiFind extends Find {
  entity: string;
  label: string;
  /** A checksum of several digits, or a calendar date, stands for it. It excludes lesser finds, also where a policy does not ask for it. */
  sure: boolean;
  /** Words speak for it. Where it stands, a lesser form of something else does not count. */
  spoken: boolean;
  /** finds that overlap with it and are better founded */
  rivals: PiiFind[] | undefined;
}

export interface PiiSpan {
  start: number;
  end: number;
}

const LABELS = new Map<string, string>();

/** Evidence names the detector and the entity. */
export function labelOf(entity: string): string {
  let label = LABELS.get(entity);
  if (label === undefined) {
    label = `pii:${entity}`;
    LABELS.set(entity, label);
  }
  return label;
}

export function findOf(entity: string, { start, end }: PiiSpan, score: number, sure = false): PiiFind {
  return { entity, label: labelOf(entity), start, end, score, sure, spoken: false, rivals: undefined };
}

/**
 * Gives each find the better ones that overlap with it: one number is one finding. A better find is sure, is what words call it, scores
 * higher, or is longer.
 * Finds that are equal in all of it keep the order in which they came.
 */
export function settleRivals(finds: PiiFind[]): void {
  if (finds.length < 2) return;
  finds.sort((a, b) => a.start - b.start);
  for (let i = 0; i < finds.length; i++) {
    const a = finds[i]!;
    for (let j = i + 1; j < finds.length && finds[j]!.start < a.end; j++) {
      const b = finds[j]!;
      const [better, lesser] = isBetter(a, b) ? [a, b] : [b, a];
      if (lesser.rivals) lesser.rivals.push(better);
      else lesser.rivals = [better];
    }
  }
}

/** Score of a form that needs no words. */
const OF_ITSELF = 0.75;

function isBetter(a: PiiFind, b: PiiFind): boolean {
  if (a.sure !== b.sure) return a.sure;
  if (a.spoken !== b.spoken && (a.spoken ? b : a).score < OF_ITSELF) return a.spoken;
  if (a.score !== b.score) return a.score > b.score;
  return a.end - a.start >= b.end - b.start;
}
