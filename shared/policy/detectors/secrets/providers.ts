/**
 * Credentials of providers. A line of `providers.txt` is a rule. Two spaces or more part its columns: name, provider, what it finds, kind
 * with options (`token before=23 dashed`), literals or words, and the pattern, in which `<WORD>` and the like are classes.
 */
import { dataLines } from '../../../data-file.js';
import { CLASSES, named, type SecretRule, token } from './rule.js';

export const PROVIDERS: readonly SecretRule[] = dataLines('policy/detectors/secrets/providers').map(ruleOf);

function ruleOf(line: string): SecretRule {
  const [name, provider, what, told, words, pattern] = line.split(/ {2,}/) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const [kind, ...options] = told.split(' ');
  const source = pattern.replaceAll(/<([A-Z\d]+)>/g, (_, known: string) => CLASSES[known]!);
  const make = kind === 'token' ? token : named;
  return make([name, provider, what], words.split(' '), source, Object.fromEntries(options.map(optionOf)));
}

/** `dashed`, `random`, `extra=+/` or `before=23`. */
function optionOf(option: string): [string, string | number | boolean] {
  const [name, value] = option.split('=') as [string, string?];
  return [name, value === undefined ? true : name === 'extra' ? value : Number(value)];
}
