/** Parts of the AI SDK: of `fullStream`, of streams for its user interfaces, and of language models (in middleware). */
import { addTexts, type ChunkShape, type ChunkTexts, nothing, TEXT_PART, textOfValue } from './reading.js';

type SdkPart = Record<string, unknown>;

/** With these, texts before them have ended: what comes next is of another kind, or the step ends. */
const ENDS_TEXT = new Set([
  'reasoning-start',
  'tool-input-start',
  'tool-call',
  'tool-input-available',
  'tool-input-error',
  'start-step',
]);
const ENDS_ALL = new Set(['finish-step', 'step-finish', 'finish', 'abort', 'error']);
const WITHOUT_TEXT = new Set([
  'start',
  'stream-start',
  'response-metadata',
  'message-metadata',
  'text-start',
  'text-end',
  'reasoning-end',
  'tool-input-end',
  'source',
  'source-url',
  'source-document',
  'file',
]);

/** `readRaw` reads what the model's own interface sent, which comes before the parts that are made of it. */
export function createSdkShape(readRaw: ChunkShape): ChunkShape {
  /** texts that have started and not ended, and their parts */
  const open = new Map<unknown, string>();

  /** Texts in a row are one part, since answers with citations are cut into several. One that starts within another is a part of its own. */
  function partOfText(id: unknown): string {
    return open.get(id) ?? TEXT_PART;
  }

  function readText(part: SdkPart, reading: ChunkTexts): void {
    const { id, type } = part;
    if (type === 'text-start') open.set(id, open.size === 0 ? TEXT_PART : `inner-text/${String(id)}/`);
    if (type === 'text-delta') addTexts(reading, { [partOfText(id)]: part.text ?? part.delta ?? part.textDelta });
    if (type === 'text-end') {
      if (partOfText(id) !== TEXT_PART) reading.ends.push(partOfText(id));
      open.delete(id);
    }
  }

  return (part) => {
    const { type } = part;
    if (typeof type !== 'string') return undefined;
    const reading = nothing();
    if (type === 'raw') return prefixed(part.rawValue, readRaw);
    const known = readCall(part, reading) || /^(text-delta|reasoning(-delta)?)$/.test(type) || WITHOUT_TEXT.has(type);
    readText(part, reading);
    const thought = `reasoning/${String(part.id ?? '')}/`;
    if (/^reasoning(-delta)?$/.test(type)) addTexts(reading, { [thought]: part.text ?? part.delta ?? part.textDelta });
    if (type === 'reasoning-end') reading.ends.push(thought);
    if (ENDS_TEXT.has(type)) reading.ends.push(TEXT_PART);
    if (ENDS_ALL.has(type)) {
      open.clear();
      reading.ends.push('');
    }
    return known || ENDS_TEXT.has(type) || ENDS_ALL.has(type) || type.startsWith('data-') ? reading : undefined;
  };
}

/** Input of a tool: in pieces, then as a whole. Its value may be spelled otherwise than its pieces. */
function readCall(part: SdkPart, reading: ChunkTexts): boolean {
  const call = `tool/${String(part.toolCallId ?? part.id)}/`;
  switch (part.type) {
    case 'tool-input-delta':
    case 'tool-call-delta':
      addTexts(reading, { [call]: part.inputTextDelta ?? part.delta ?? part.argsTextDelta });
      return true;
    case 'tool-input-end':
      reading.ends.push(call);
      return true;
    case 'tool-call':
    case 'tool-input-available':
    case 'tool-input-error': {
      const text = textOfValue(part.input ?? part.args);
      if (text !== undefined) reading.wholes.push({ part: call, text, exact: false });
      reading.ends.push(call);
      return true;
    }
    default:
      return false;
  }
}

function prefixed(raw: unknown, readRaw: ChunkShape): ChunkTexts {
  const reading = (typeof raw === 'object' && raw !== null && readRaw(raw as SdkPart)) || nothing();
  const below = <T extends { part: string }>(one: T): T => ({ ...one, part: `raw/${one.part}` });
  return {
    adds: reading.adds.map(below),
    wholes: reading.wholes.map(below),
    ends: reading.ends.map((prefix) => `raw/${prefix}`),
  };
}
