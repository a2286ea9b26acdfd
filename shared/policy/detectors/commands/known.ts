/** What names stand for in a program of Python or JavaScript: modules under another name, what is taken out of one, and values that are written out. */

export interface ProgramNames {
  /** the module that stands before a call, by the name that the program gives it */
  moduleOf(owner: string, name: string): string;
  /** the first argument as it is written, or what the name that it is was set to */
  written(argument: string): string;
}

const IMPORTS =
  /\bimport\s+(\w+)\s+as\s+(\w+)|\bfrom\s+(\w+)\s+import\s+\(?([\w, \t]{1,256})|\b(?:const|let|var)\s+(\w+)\s*=\s*require\(\s*["'](?:node:)?(\w+)|\bimport\s+(?:\*\s+as\s+)?(\w+)\s+from\s+["'](?:node:)?(\w+)|\b(?:const|let|var)\s*\{([\w,: \t]{1,256})\}\s*=\s*require\(\s*["'](?:node:)?(\w+)|\bimport\s*\{([\w, \t]{1,256})\}\s*from\s+["'](?:node:)?(\w+)/g;
const SETS = /(?:^|[\n;{]|\b(?:const|let|var)\s)[ \t]*([A-Za-z_$][\w$]{0,63})\s*=(?!=)[ \t]*([^\n;]{1,256})/g;
const FIRST_NAME = /^\s*([A-Za-z_$][\w$]{0,63})\s*(?=,|$)/;
const MOST = 64;

export function namesIn(code: string): ProgramNames {
  const modules = new Map<string, string>();
  const taken = new Map<string, string>();
  const take = (names: string, module: string): void => {
    for (const name of names.split(',').slice(0, 16))
      taken.set(
        name
          .trim()
          .split(/\s+as\s+|\s*:\s*/)
          .at(-1)!,
        module,
      );
  };
  let n = 0;
  for (const found of code.matchAll(IMPORTS)) {
    if (++n > MOST) break;
    const [, module, alias, from, names, required, requiredFrom, imported, importedFrom, parts, partsOf, some, someOf] =
      found;
    if (module) modules.set(alias!, module);
    else if (from) take(names!, from);
    else if (required) modules.set(required, requiredFrom!);
    else if (imported) modules.set(imported, importedFrom!);
    else if (parts) take(parts, partsOf!);
    else if (some) take(some, someOf!);
  }
  const values = new Map<string, string>();
  n = 0;
  for (const [, name, value] of code.matchAll(SETS)) {
    if (++n > MOST) break;
    values.set(name!, value!.trim());
  }
  return {
    moduleOf: (owner, name) => (owner === '' ? (taken.get(name) ?? '') : (modules.get(owner) ?? owner)),
    written(argument) {
      const name = FIRST_NAME.exec(argument)?.[1];
      const value = name === undefined ? undefined : values.get(name);
      return value === undefined ? argument : value + argument.slice(FIRST_NAME.exec(argument)![0].length);
    },
  };
}
