/** Telephone numbers as they are dialled: which of them some region has, by the numbering plans of libphonenumber (all metadata). */
import { createRequire } from 'node:module';
import type { MetadataJson } from 'libphonenumber-js/core';
import { type Steps, spend } from '../../../engine/steps.js';

const require = createRequire(import.meta.url);

/** The library and the numbering plans of all regions. */
interface Numbering {
  library: typeof import('libphonenumber-js/core');
  metadata: MetadataJson;
}

let loaded: Numbering | undefined;

/** Reading the plans takes 60 ms of processor time, so it waits for the first number that needs them. */
function numbering(): Numbering {
  loaded ??= {
    library: require('libphonenumber-js/core') as Numbering['library'],
    metadata: require('libphonenumber-js/max/metadata') as MetadataJson,
  };
  return loaded;
}

/** What the library has of a region; its types name only a part of it. */
interface NumberingPlan {
  nationalNumberPattern(): string;
  possibleLengths(): number[];
  // 0 where there is none
  nationalPrefix(): string | 0 | undefined;
  nationalPrefixForParsing(): string | 0 | undefined;
  nationalPrefixTransformRule(): string | 0 | undefined;
}

/** A region's plan of national numbers. */
interface Plan {
  trunk: string;
  lengths: ReadonlySet<number>;
  pattern: RegExp;
}

/** The numbers of a calling code. */
interface Code {
  /** digits of its national numbers, of all its regions */
  lengths: Set<number>;
  /** what may stand before a national number, and is not counted */
  prefix: RegExp | undefined;
  /** the prefix is replaced by other digits, so the length says nothing */
  replaces: boolean;
}

interface Plans {
  /** one for each region that differs */
  regions: readonly Plan[];
  codes: ReadonlyMap<string, Code>;
}

let plans: Plans | undefined;

function allPlans(): Plans {
  if (plans) return plans;
  const { library, metadata: json } = numbering();
  const metadata = new library.Metadata(json);
  const planOf = (region: string): NumberingPlan => {
    metadata.selectNumberingPlan(region as Parameters<typeof metadata.selectNumberingPlan>[0]);
    return (metadata as unknown as { numberingPlan: NumberingPlan }).numberingPlan;
  };
  const distinct = new Map<string, Plan>();
  for (const country of library.getCountries(json)) {
    const plan = planOf(country);
    const source = plan.nationalNumberPattern();
    const trunk = plan.nationalPrefix() || '';
    const pattern = new RegExp(`^(?:${source})$`);
    distinct.set(`${trunk} ${source}`, { trunk, lengths: new Set(plan.possibleLengths()), pattern });
  }
  plans = { regions: [...distinct.values()], codes: codesOf(json, planOf) };
  return plans;
}

function codesOf(json: MetadataJson, planOf: (region: string) => NumberingPlan): Map<string, Code> {
  const regions = { ...json.country_calling_codes, ...json.nonGeographic } as Record<string, unknown>;
  const codes = new Map<string, Code>();
  for (const code of Object.keys(regions)) {
    // Numbers are read by the plan that the library has first for a code.
    const main = planOf(code);
    const prefix = main.nationalPrefixForParsing();
    codes.set(code, {
      lengths: new Set(main.possibleLengths()),
      prefix: prefix ? new RegExp(`^(?:${prefix})`) : undefined,
      replaces: Boolean(main.nationalPrefixTransformRule()),
    });
  }
  for (const [code, countries] of Object.entries(json.country_calling_codes)) {
    for (const country of countries) {
      for (const length of planOf(country).possibleLengths()) codes.get(code)!.lengths.add(length);
    }
  }
  return codes;
}

/** Steps that the library takes for a number, as long as 800 others. */
const PARSED = 800;

/** How sure it is that `digits` are an international number, from the code of the country on: it is of a region, or as long as one. */
export function international(digits: string, steps: Steps): number {
  if (!mayBeInternational(digits)) return 0;
  spend(steps, PARSED);
  const { library, metadata } = numbering();
  const number = library.parsePhoneNumberFromString(`+${digits}`, metadata);
  if (!number) return 0;
  return number.isValid() ? 0.75 : number.isPossible() && digits.length >= 8 ? 0.5 : 0;
}

/** Told by the code of the country and the number of digits, which takes a hundredth of the time of the library. */
function mayBeInternational(digits: string): boolean {
  const { codes } = allPlans();
  for (let size = 1; size <= 3; size++) {
    const code = codes.get(digits.slice(0, size));
    if (!code) continue;
    const { lengths, prefix, replaces } = code;
    const length = digits.length - size;
    if (lengths.has(length)) return true;
    const match = prefix?.exec(digits.slice(size));
    return match ? replaces || lengths.has(length - match[0].length) : false;
  }
  return false;
}

/** Whether some region has such a national number. */
export function isNational(digits: string, steps: Steps): boolean {
  spend(steps, PARSED);
  return allPlans().regions.some(({ trunk, lengths, pattern }) => {
    const number = trunk !== '' && digits.startsWith(trunk) ? digits.slice(trunk.length) : digits;
    return lengths.has(number.length) && pattern.test(number);
  });
}
