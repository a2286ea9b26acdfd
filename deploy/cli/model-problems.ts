/** Tries the models that a configuration names for texts, where this machine has their files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { textModelsIn } from '../../shared/configuration/backends.js';
import type { Configuration } from '../../shared/configuration/configuration.js';
import { loadSettings } from '../../shared/settings.js';

export interface TriedModels {
  /** a line for each model that does not work, or does not have what a policy asks of it */
  problems: string[];
  /** a line for each model whose files are not here */
  absent: string[];
}

export async function tryModels({ policies }: Pick<Configuration, 'policies'>): Promise<TriedModels> {
  const labels = new Map<string, Set<string>>();
  for (const { model, label } of policies.flatMap(({ detect }) => textModelsIn(detect))) {
    labels.set(model, (labels.get(model) ?? new Set()).add(label));
  }
  const { models: folder } = loadSettings(process.env, ['models']);
  const here = [...labels.keys()].filter((name) => existsSync(join(folder, `${name}.onnx`)));
  const absent = [...labels.keys()]
    .filter((name) => !here.includes(name))
    .map((name) => `model ${name}: ${name}.onnx is not in ${folder} of this machine, so it was not tried`);
  if (here.length === 0) return { problems: [], absent };
  // What starts models is loaded here, so that other configurations do not pay for it.
  const { modelsOfCommand } = await import('./asking.js');
  const models = await modelsOfCommand(here);
  const problemsOf = (name: string): string[] => {
    const model = models.text(name);
    if (model) {
      const unknown = [...labels.get(name)!].filter((label) => !model.labels.includes(label));
      return unknown.map((label) => `it has no label "${label}": expected one of ${model.labels.join(', ')}`);
    }
    if (models.get(name)) return ['it is for images, and a policy names it with source: text'];
    return [models.problems().get(name) ?? 'it could not be loaded in time'];
  };
  const problems = here.flatMap((name) => problemsOf(name).map((problem) => `model ${name}: ${problem}`));
  await models.close();
  return { problems, absent };
}
