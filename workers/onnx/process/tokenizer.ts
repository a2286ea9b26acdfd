/** In the process of a model of texts: its tokenizer, a `tokenizer.json` as the Hugging Face libraries write it. */
import { Tokenizer } from '@huggingface/tokenizers';
import { ModelRefusal, messageOf } from './session.js';
import type { Encoder } from './windows.js';

/** The parts of a `tokenizer.json` that are read here; the library reads the rest. */
interface TokenizerFile {
  added_tokens?: { content: string; special?: boolean }[];
  padding?: { pad_id?: number } | null;
}

/** Reads WordPiece, BPE and Unigram (SentencePiece) alike. Truncation and padding of the file are left alone. Throws a Refusal. */
export function readTokenizer(bytes: Buffer): { encoder: Encoder; padding: number } {
  try {
    const file = JSON.parse(bytes.toString('utf8')) as TokenizerFile;
    const tokenizer = new Tokenizer(file, {});
    const marks = (file.added_tokens ?? []).flatMap(({ content, special }) => (special ? content : []));
    return {
      encoder: encoderOf(tokenizer, marks),
      padding: file.padding?.pad_id ?? tokenizer.token_to_id('[PAD]') ?? tokenizer.token_to_id('<pad>') ?? 0,
    };
  } catch (error) {
    throw new ModelRefusal(`its tokenizer cannot be loaded: ${messageOf(error)}`);
  }
}

/** `marks`: tokens that stand around texts or between them. */
function encoderOf(tokenizer: Tokenizer, marks: readonly string[]): Encoder {
  // A mark within a text would be taken for an end of the text. With a space in it, it is text like any other.
  const escaped = marks.filter((mark) => mark.length > 1).map((mark) => mark.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  const within = escaped.length > 0 ? new RegExp(escaped.join('|'), 'giu') : undefined;
  const encode = (text: string, around: boolean): number[] => {
    const plain = within ? text.replace(within, (mark) => mark.replace(/^./u, '$& ')) : text;
    const { ids } = tokenizer.encode(plain, { add_special_tokens: around });
    // A token without a number is unknown to a tokenizer that has no word for that.
    if (!ids.every(Number.isInteger)) throw new Error('the tokenizer has no number for a part of the text');
    return ids;
  };
  return { encode: (text) => encode(text, true), count: (text) => encode(text, false).length };
}
