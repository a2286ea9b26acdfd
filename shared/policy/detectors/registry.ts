/**
 * All detectors. A new one is a module and a line here: configuration, compiler and help know detectors from this list alone.
 * The order is the order of messages and of the help.
 */
import type { DetectTree } from '../detect-expression.js';
import type { Source } from '../types.js';
import { addresses } from './addresses.js';
import { classifier } from './classifier.js';
import { commands } from './commands.js';
import { type Detector, sourcesOf, type TextQuestion } from './detector.js';
import { imageHash } from './images/image-hash.js';
import { imageProperties } from './images/image-properties.js';
import { imageText } from './images/image-text.js';
import { injection } from './injection.js';
import { invisibleText } from './invisible-text.js';
import { llm } from './llm.js';
import { onnx } from './onnx.js';
import { pii } from './pii.js';
import { regex } from './regex.js';
import { secrets } from './secrets.js';
import { terms } from './terms.js';

export const DETECTORS = {
  terms,
  regex,
  pii,
  secrets,
  commands,
  addresses,
  invisible_text: invisibleText,
  injection,
  classifier,
  image_hash: imageHash,
  image_properties: imageProperties,
  image_text: imageText,
  onnx,
  llm,
};

type Registry = typeof DETECTORS;
/** Word of a detector in `detect`. */
export type DetectorName = keyof Registry;
export const DETECTOR_NAMES = Object.keys(DETECTORS) as DetectorName[];

/** A leaf of `detect`: one key, the name of a detector, with its parameters. */
export type DetectorParameters = {
  [N in DetectorName]: { [K in N]: NonNullable<ReturnType<Registry[N]['read']>> };
}[DetectorName];

export type Detect = DetectTree<DetectorParameters>;

export function isDetectorName(word: string): word is DetectorName {
  return Object.hasOwn(DETECTORS, word);
}

/** Detectors of texts that give scores in the process. */
export const SCORING = DETECTOR_NAMES.filter((name) => {
  const { text, parameters }: Detector<object> = DETECTORS[name];
  return text !== undefined && !text.question && 'threshold' in parameters;
});

/** The detector of a leaf, with its parameters. */
export function detectorOf(leaf: DetectorParameters): {
  name: DetectorName;
  detector: Detector<object>;
  parameters: object;
} {
  const [[name, parameters]] = Object.entries(leaf) as [[DetectorName, object]];
  return { name, detector: DETECTORS[name], parameters };
}

export function looksAt(leaf: DetectorParameters): Source[] {
  const { detector, parameters } = detectorOf(leaf);
  return sourcesOf(detector, parameters);
}

/** What a backend or a model is asked for a leaf; undefined: nothing. */
export function questionOf(leaf: DetectorParameters): TextQuestion | undefined {
  const { detector, parameters } = detectorOf(leaf);
  return looksAt(leaf).includes('text') ? detector.text?.question?.(parameters) : undefined;
}

/** What `weir check-config --help` says of detectors. */
export function detectorHelp(): string {
  return DETECTOR_NAMES.map((name) => {
    const { help, parameters }: Detector<object> = DETECTORS[name];
    const width = Math.max(...Object.keys(parameters).map((key) => key.length)) + 2;
    const lines = Object.entries(parameters as Record<string, string>).map(
      ([key, text]) => `      ${key.padEnd(width)}${text}`,
    );
    return [`  ${name}: ${help}`, ...lines].join('\n');
  }).join('\n');
}
