/** Scores of a text or an image by the detectors of policies, beside the least scores at which they fire: also of those that do not. */
import type { PolicyConfiguration } from '../configuration/types.js';
import type { ContentReading } from './content/content.js';
import type { DetectTree, Escalation } from './detect-expression.js';
import type { Resources } from './detectors/detector.js';
import { type Detect, type DetectorParameters, detectorOf, looksAt, questionOf } from './detectors/registry.js';
import { buildEngine } from './engine/engine.js';
import { laneOf } from './models/scorer.js';
import type { PlannedQuestion } from './plan.js';
import type { Answers, ImageContent, Source } from './types.js';

/** A score beside the one from which a detector fires. */
export interface TriedScore {
  policy: string;
  /** as evidence has it */
  detector: string;
  source: Source;
  /** 0 to 1; null: nobody has told it, as of a backend that was not asked */
  score: number | null;
  /** null: the detector has none of its own */
  threshold: number | null;
  /** it is a cheap detector, and another is asked from this score on */
  asks?: number;
}

/** A detector of a policy; `asks`: it is a cheap one, and another is asked from this score on. */
interface PolicyDetector {
  policy: string;
  leaf: DetectorParameters;
  asks?: number;
}

function detectorsIn(policy: string, detect: Detect): PolicyDetector[] {
  const { any, all, not, escalate } = detect as {
    any?: Detect[];
    all?: Detect[];
    not?: Detect;
    escalate?: Escalation<DetectorParameters>;
  };
  const within = any ?? all ?? (not ? [not] : undefined);
  if (within) return within.flatMap((each) => detectorsIn(policy, each));
  if (!escalate) return [{ policy, leaf: detect as DetectorParameters }];
  const { from, below, above, to } = escalate;
  const [[name, parameters]] = Object.entries(from) as [[string, object]];
  const leaf = { [name]: { ...parameters, threshold: below } } as DetectorParameters;
  return [{ policy, leaf, asks: above }, ...detectorsIn(policy, to)];
}

/** Detectors of texts that score in the process: all of a text counts, so they are asked for every find. */
const isScoring = ({ leaf }: PolicyDetector): boolean => {
  const { detector } = detectorOf(leaf);
  return looksAt(leaf).includes('text') && !questionOf(leaf) && 'threshold' in detector.parameters;
};

function leastOf({ leaf }: PolicyDetector, fired: string, { models }: Resources): number | null {
  const { detector, parameters } = detectorOf(leaf);
  const least = detector.least?.(parameters, fired)?.least ?? (parameters as { threshold?: number }).threshold;
  if (least !== undefined || !('classifier' in leaf)) return least ?? null;
  const { sha256 = '', label } = leaf.classifier;
  const own = models.get(sha256);
  return own?.model.labels[laneOf(own.model, label)]?.threshold ?? null;
}

/** Its name, where nothing was found that has one. */
function nameOf({ leaf }: PolicyDetector): string {
  if (!('classifier' in leaf)) return detectorOf(leaf).name;
  const { file, label } = leaf.classifier;
  return file === undefined ? `classifier:${label}` : `classifier:${file}:${label}`;
}

export interface TriedText extends Pick<ContentReading, 'text' | 'decoded'> {
  source: Source;
}

/** By each detector that scores texts in the process: the highest score of what each of its names was found with. */
function scoresInProcess(all: readonly PolicyDetector[], of: TriedText, resources: Resources): TriedScore[] {
  const scoring = all.filter(isScoring);
  if (scoring.length === 0) return [];
  const engine = buildEngine(
    scoring.map(({ leaf }) => {
      const { detector, parameters } = detectorOf(leaf);
      return detector.text!.interests({ ...parameters, threshold: 0, thresholds: {} }, resources);
    }),
  );
  const wanted = engine.wanted(scoring.keys());
  const scans = [of.text, ...(of.decoded ? [of.decoded.text] : [])].map((text) => {
    return engine.scan(text, wanted, 0, { all: true });
  });
  return scoring.flatMap((one, number): TriedScore[] => {
    const scores = new Map<string, number>();
    for (const finds of scans) {
      for (const { detector, score = 1 } of finds?.evidence.get(number) ?? []) {
        scores.set(detector, Math.max(score, scores.get(detector) ?? 0));
      }
    }
    const row = (detector: string, score: number | null): TriedScore => ({
      policy: one.policy,
      detector,
      source: of.source,
      score: score === null ? null : rounded(score),
      threshold: leastOf(one, detector, resources),
      ...(one.asks === undefined ? {} : { asks: one.asks }),
    });
    if (scores.size > 0) return [...scores].map(([detector, score]) => row(detector, score));
    // What could not run, or does not know the language, has no score.
    return scans.some((finds) => finds?.failed.has(number)) ? [row(nameOf(one), null)] : [];
  });
}

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000;

/** What was asked of backends and models for a text. */
export interface AskedOf {
  questions: ReadonlyMap<number, PlannedQuestion>;
  answers: Answers | undefined;
}

function scoresOfAsked(all: readonly PolicyDetector[], { questions, answers }: AskedOf): TriedScore[] {
  return all.flatMap(({ policy, leaf }): TriedScore[] => {
    const question = questionOf(leaf);
    if (!question) return [];
    const number = numberOf(question.about, questions);
    const said = number === undefined ? undefined : answers?.get(number);
    const score = typeof said !== 'object' ? null : 'windows' in said ? highest(said.windows) : said.score;
    const { about } = question;
    const detector = 'model' in about ? `onnx:${about.model}:${about.label}` : 'llm';
    const { threshold = null } = detectorOf(leaf).parameters as { threshold?: number | null };
    return [{ policy, detector, source: 'text', score: score === null ? null : rounded(score), threshold }];
  });
}

const highest = (windows: readonly { score: number }[]): number => Math.max(0, ...windows.map(({ score }) => score));

/** The number of what asks the same. */
function numberOf(
  about: NonNullable<ReturnType<typeof questionOf>>['about'],
  questions: ReadonlyMap<number, PlannedQuestion>,
): number | undefined {
  const named = JSON.stringify(about);
  for (const [number, { about: planned }] of questions) {
    const asked = 'backend' in planned ? { ...planned, backend: planned.backend.id } : planned;
    if (JSON.stringify(asked) === named) return number;
  }
  return undefined;
}

/** Of a text that is checked. */
export function scoresOfText(
  policies: readonly PolicyConfiguration[],
  text: TriedText,
  asked: AskedOf,
  resources: Resources,
): TriedScore[] {
  const all = policies.flatMap(({ id, detect }) => detectorsIn(id, detect));
  return [...scoresInProcess(all, text, resources), ...scoresOfAsked(all, asked)];
}

/** Of an image, and of the text that was read from it. */
export function scoresOfImage(
  policies: readonly PolicyConfiguration[],
  { scores, text }: Pick<ImageContent, 'scores' | 'text'>,
  resources: Resources,
): TriedScore[] {
  const all = policies.flatMap(({ id, detect }) => detectorsIn(id, detect));
  const own = all.flatMap(({ policy, leaf }): TriedScore[] => {
    if (!('onnx' in leaf) || leaf.onnx.source === 'text') return [];
    const { model, label, threshold } = leaf.onnx;
    const score = scores[model]?.[label];
    return [
      {
        policy,
        detector: `onnx:${model}:${label}`,
        source: 'image',
        score: score === undefined ? null : rounded(score),
        threshold,
      },
    ];
  });
  const inner = all.flatMap(({ policy, leaf }): PolicyDetector[] => {
    const { detect } = detectorOf(leaf).parameters as { detect?: DetectTree<DetectorParameters> };
    return detect ? detectorsIn(policy, detect as Detect) : [];
  });
  return [...own, ...(text ? scoresInProcess(inner, { text, source: 'image' }, resources) : [])];
}
