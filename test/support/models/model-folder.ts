/** A folder of models, as `WEIR_MODELS` names it, with one of texts: `words` gives the share of bad words as `bad`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { words } from './onnx.ts';
import { WORDPIECE } from './tokenizers.ts';

export interface ModelFolder {
  path: string;
  /** Adds a model of texts. */
  put(name: string, model: Buffer, description?: string): void;
  remove(): void;
}

export function modelFolder(): ModelFolder {
  const path = mkdtempSync(join(tmpdir(), 'weir-model-folder-'));
  const put: ModelFolder['put'] = (name, model, description = 'text: {max_tokens: 16, stride: 0}') => {
    writeFileSync(join(path, `${name}.onnx`), model);
    writeFileSync(join(path, `${name}.yaml`), `${description}\noutput: {labels: [bad, rest]}\n`);
    writeFileSync(join(path, `${name}.tokenizer.json`), WORDPIECE);
  };
  put('words', words());
  return { path, put, remove: () => rmSync(path, { recursive: true, force: true }) };
}
