/**
 * Reads from an image its text and the scores of models. Says which pixels the decoder is to make for what policies want, and
 * turns the pixels into what the engine takes (`ImageContent`).
 *
 *     wanted ──> plan: renditions ──> decoder ──> pixels ──> read: text and scores, side by side
 *
 * A text or scores that could not be read are absent. The engine takes that for "could not run", never for "nothing found".
 */
import type { Logger } from '../../../shared/log.js';
import type { ImageContent } from '../../../shared/policy/types.js';
import type { Registry } from '../../../shared/telemetry.js';
import type { Confinement } from '../../child-process/confine.js';
import { MODEL_LIMITS } from '../../onnx/file.js';
import { createTextModelMetrics, type TextModelMetrics } from '../../onnx/meters.js';
import { type Models, startModels } from '../../onnx/models.js';
import type { DecodedPixels, Rendition } from '../decode/types.js';
import { createReaderMetrics } from './meters.js';
import { NO_READER_NOTE, startTextReader, TEXT_RENDITION } from './text-reader.js';

export interface WantedReadings {
  /** a detector `image_text` looks at the image */
  text: boolean;
  /** models that detectors `onnx` name */
  models: readonly string[];
}

export interface ImageReading extends Pick<ImageContent, 'text' | 'scores'> {
  /** why something is absent: sentences for the caller, each once */
  notes: readonly string[];
}

const NO_MODEL_NOTE = 'The image could not be scored by a model: it is not there, or does not work.';

export interface ReadingPlan {
  /** what to ask the decoder for; none when there is nothing to read */
  renditions: Rendition[];
  /**
   * `pixels` are of those renditions, in their order. `signal` gives up what is not done yet and keeps what is done. Readers are
   * used in the turns of `team`. Never rejects.
   */
  read(pixels: readonly DecodedPixels[], signal?: AbortSignal, team?: string): Promise<ImageReading>;
}

export interface Readers {
  plan(wanted: WantedReadings): ReadingPlan;
  /** of images and of texts */
  models: Models;
  textMetrics: TextModelMetrics;
  /** Ends what runs, and all processes. */
  close(): Promise<void>;
}

export interface ReadersOptions {
  /** tesseract's names of languages, joined by + */
  languages: string;
  /** folder of models; undefined: none */
  models: string | undefined;
  /** processes of tesseract at once, and inferences at once; each uses one core */
  concurrency: number;
  /** images that are read at once [8]: none of them is refused because too many wait */
  images?: number;
  /** how processes are started; default: with the rights of this one */
  confinement?: Confinement;
}

/** Starts text recognition and models, with their metrics. Logs what can be read. Rejects only for invalid `languages`. */
export async function startReaders(
  { languages, models: folder, concurrency, images = 8, confinement }: ReadersOptions,
  { logger, registry }: { logger: Logger; registry: Registry },
): Promise<Readers> {
  const metrics = createReaderMetrics(registry);
  const texts = await startTextReader({
    languages,
    concurrency,
    waiting: images,
    confinement,
    logger,
    observe: metrics.text,
  });
  const textMetrics = createTextModelMetrics(registry);
  const observe = { observe: metrics.score, observeTexts: textMetrics.request };
  // One team may have half of what waits.
  const waiting = 2 * MODEL_LIMITS.count * images;
  const models = await startModels({ folder, concurrency, waiting, confinement, logger, ...observe });
  metrics.watch(texts, models);
  textMetrics.watch(models);

  return {
    models,
    textMetrics,
    plan(wanted) {
      const renditions: Rendition[] = [];
      const place = (rendition: Rendition): number => {
        const found = renditions.findIndex((each) => same(each, rendition));
        return found >= 0 ? found : renditions.push(rendition) - 1;
      };
      const textAt = wanted.text && texts.unavailable === undefined ? place(TEXT_RENDITION) : undefined;
      const scoring = [...new Set(wanted.models)].flatMap((name) => {
        const model = models.get(name);
        return model ? [{ name, model, at: place(model.rendition) }] : [];
      });
      return {
        renditions,
        async read(pixels, signal, team) {
          const scores: Record<string, Readonly<Record<string, number>>> = {};
          const notes = new Set<string>();
          if (wanted.text && textAt === undefined) notes.add(NO_READER_NOTE);
          if (scoring.length < new Set(wanted.models).size) notes.add(NO_MODEL_NOTE);
          const [text] = await Promise.all([
            textAt === undefined ? undefined : texts.read(pixels[textAt]!, signal, team),
            ...scoring.map(async ({ name, model, at }) => {
              const result = await model.score(pixels[at]!, signal, team);
              if (result.ok) scores[name] = result.scores;
              else notes.add(result.note);
            }),
          ]);
          if (text?.ok === false) notes.add(text.note);
          return { text: text?.ok ? text.text : null, scores, notes: [...notes] };
        },
      };
    },
    async close() {
      await Promise.all([texts.close(), models.close()]);
    },
  };
}

function same(a: Rendition, b: Rendition): boolean {
  return a.width === b.width && a.height === b.height && a.kind === b.kind && a.fit === b.fit;
}
