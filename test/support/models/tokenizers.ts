/** Small tokenizers, as files `tokenizer.json`: one of each kind. Their word for bad things is "bad". */

const MARKS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
/** Numbers of tokens in all of them. */
export const PAD = 0;
export const BAD = 5;
export const HANG = 6;
const WORDS = ['good', 'bad', 'hang', 'a', 'few', 'words', ...'!?.,()[]{}<>/:'];

const added = MARKS.map((content, id) => ({ id, content, special: true, normalized: false }));
const around = {
  type: 'TemplateProcessing',
  single: [
    { SpecialToken: { id: '[CLS]', type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { SpecialToken: { id: '[SEP]', type_id: 0 } },
  ],
  pair: [],
  special_tokens: Object.fromEntries(
    ['[CLS]', '[SEP]'].map((id) => [id, { id, ids: [MARKS.indexOf(id)], tokens: [id] }]),
  ),
};
const fileOf = (parts: object): string =>
  JSON.stringify({ version: '1.0', added_tokens: added, normalizer: null, post_processor: around, ...parts });
const numbered = (tokens: readonly string[]): Record<string, number> =>
  Object.fromEntries(tokens.map((token, id) => [token, id]));
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** As BERT has it: words of the list, and others by letters. */
export const WORDPIECE = fileOf({
  normalizer: {
    type: 'BertNormalizer',
    lowercase: true,
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: numbered([...new Set([...MARKS, ...WORDS, ...LETTERS, ...[...LETTERS].map((letter) => `##${letter}`)])]),
  },
});

/** As GPT-2 and RoBERTa have it: any byte is a token, and "bad" is one. */
export const BPE = fileOf({
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
  model: {
    type: 'BPE',
    vocab: numbered([...new Set([...MARKS, 'good', 'bad', 'hang', 'ba', ...byteLetters()])]),
    merges: ['b a', 'ba d'],
  },
});

/** As SentencePiece has it: the likeliest pieces. */
export const UNIGRAM = fileOf({
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  model: {
    type: 'Unigram',
    unk_id: 1,
    vocab: [...MARKS, '▁good', '▁bad', '▁hang', '▁', ...LETTERS].map((piece, i) => [piece, i < 4 ? 0 : -1 - i / 10]),
  },
});

/** The letter that stands for each byte: itself where it can be seen, else one from 256 on. */
function byteLetters(): string[] {
  let unseen = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const seen = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCodePoint(seen ? byte : 256 + unseen++);
  });
}
