/** Telephone numbers as they are dialled: which of them some region has, by the numbering plans of libphonenumber (all metadata). */
import { createRequire } from 'node:module';
import type { MetadataJson } from 'libphonenumber-js/core';
import { type LookSteps, spend } from '../../../engine/steps.js';

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
  // 0 where there is none
  nationalNumberPattern(): string;
  possibleLengths(): number[];
  leadingDigits(): string | 0 | undefined;
  nationalPrefix(): string | 0 | undefined;
  nationalPrefixForParsing(): string | 0 | undefined;
  nationalPrefixTransformRule(): string | 0 | undefined;
  hasTypes(): boolean;
  type(name: string): { pattern(): string; possibleLengths(): number[] | undefined } | undefined;
}

const TYPES = [
  'FIXED_LINE',
  'MOBILE',
  'PREMIUM_RATE',
  'TOLL_FREE',
  'SHARED_COST',
  'VOIP',
  'PERSONAL_NUMBER',
  'PAGER',
  'UAN',
  'VOICEMAIL',
];

/** Numbers of a kind, or of a region: their lengths and their digits. */
interface NumberForm {
  lengths: ReadonlySet<number> | undefined;
  pattern: RegExp;
}

/** A region's plan of national numbers. */
interface RegionPlan {
  trunk: string;
  lengths: ReadonlySet<number>;
  all: NumberForm;
  /** undefined: its numbers have no kinds */
  types: readonly NumberForm[] | undefined;
  /** with which all its numbers begin, where regions share a code */
  leading: RegExp | undefined;
  /** what may stand before a number, also behind the calling code */
  prefix: RegExp | undefined;
  /** the prefix may stand for other digits */
  replaces: boolean;
}

interface Plans {
  /** one for each region that differs */
  national: readonly RegionPlan[];
  /** by calling code: the plan by which its numbers are read, and its regions */
  codes: ReadonlyMap<string, CallingCode>;
}

interface CallingCode {
  main: RegionPlan;
  regions: readonly RegionPlan[];
}

let plans: Plans | undefined;

function allPlans(): Plans {
  if (plans) return plans;
  const { library, metadata: json } = numbering();
  const metadata = new library.Metadata(json);
  const of = (region: string): RegionPlan => {
    metadata.selectNumberingPlan(region as Parameters<typeof metadata.selectNumberingPlan>[0]);
    return planOf((metadata as unknown as { numberingPlan: NumberingPlan }).numberingPlan);
  };
  const distinct = new Map<string, RegionPlan>();
  for (const country of library.getCountries(json)) {
    const plan = of(country);
    distinct.set(`${plan.trunk} ${plan.all.pattern.source}`, plan);
  }
  const codes: [string, CallingCode][] = Object.entries(json.country_calling_codes).map(([code, regions]) => [
    code,
    { main: of(code), regions: regions.map(of) },
  ]);
  for (const code of Object.keys(json.nonGeographic ?? {})) codes.push([code, { main: of(code), regions: [] }]);
  plans = { national: [...distinct.values()], codes: new Map(codes) };
  return plans;
}

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const begins = (pattern: string | 0 | undefined): RegExp | undefined =>
  pattern ? new RegExp(`^(?:${pattern})`) : undefined;

function planOf(plan: NumberingPlan): RegionPlan {
  const lengths = new Set(plan.possibleLengths());
  const types = TYPES.map((name) => plan.type(name)).filter((type) => type?.pattern());
  return {
    trunk: plan.nationalPrefix() || '',
    lengths,
    all: { lengths: undefined, pattern: whole(plan.nationalNumberPattern()) },
    types: plan.hasTypes()
      ? types.map((type) => {
          const own = type!.possibleLengths();
          return { lengths: own && new Set(own), pattern: whole(type!.pattern()) };
        })
      : undefined,
    leading: begins(plan.leadingDigits()),
    prefix: begins(plan.nationalPrefixForParsing()),
    replaces: Boolean(plan.nationalPrefixTransformRule()),
  };
}

const hasForm = ({ lengths, pattern }: NumberForm, digits: string): boolean =>
  (lengths === undefined || lengths.has(digits.length)) && pattern.test(digits);

const isOfKind = ({ all, types }: RegionPlan, digits: string): boolean =>
  hasForm(all, digits) && (types?.some((type) => hasForm(type, digits)) ?? false);

/** Steps that the library takes for a number, and that the plans of a code take. */
const [PARSED, COMPARED] = [800, 100] as const;

/**
 * How sure it is that `digits` are an international number, from the calling code on: a region has it, or it is as long as one. The same
 * as the library says, in a tenth of its time.
 */
export function international(digits: string, steps: LookSteps): number {
  const size = sizeOfCode(digits);
  if (size === 0) return 0;
  spend(steps, COMPARED);
  const code = allPlans().codes.get(digits.slice(0, size))!;
  const national = withoutPrefix(code, digits.slice(size));
  if (national === undefined) return parsed(digits, steps);
  const region = regionOf(code, national) ?? code.main;
  const isValid = region.types ? isOfKind(region, national) : hasForm(region.all, national);
  if (isValid && national.length > 1) return 0.75;
  return region.lengths.has(national.length) && digits.length >= 8 ? 0.5 : 0;
}

/** The region whose number it is; undefined: none of several. */
const regionOf = ({ regions }: CallingCode, national: string): RegionPlan | undefined =>
  regions.length === 1 ? regions[0] : regions.find((each) => each.leading?.test(national) ?? isOfKind(each, national));

/** The number without what is dialled before it in its region, if that leaves one; undefined: the library knows. */
function withoutPrefix(code: CallingCode, national: string): string | undefined {
  const { main } = code;
  const prefix = main.prefix?.exec(national);
  if (!prefix || prefix[0] === '') return national;
  if (main.replaces && prefix.length > 1 && prefix.at(-1)) return undefined;
  const rest = national.slice(prefix[0].length);
  if (hasForm(main.all, national) && !hasForm(main.all, rest)) return national;
  const { lengths } = regionOf(code, rest) ?? main;
  return lengths.has(rest.length) || rest.length > Math.max(...lengths) ? rest : national;
}

/** Digits of the calling code at the beginning; 0: there is none. */
function sizeOfCode(digits: string): number {
  const { codes } = allPlans();
  for (let size = 1; size <= 3; size++) if (codes.has(digits.slice(0, size))) return size;
  return 0;
}

function parsed(digits: string, steps: LookSteps): number {
  spend(steps, PARSED);
  const { library, metadata } = numbering();
  const number = library.parsePhoneNumberFromString(`+${digits}`, metadata);
  if (!number) return 0;
  return number.isValid() ? 0.75 : number.isPossible() && digits.length >= 8 ? 0.5 : 0;
}

/** Whether some region has such a national number. */
export function isNational(digits: string, steps: LookSteps): boolean {
  spend(steps, PARSED);
  return allPlans().national.some(({ trunk, lengths, all }) => {
    const number = trunk !== '' && digits.startsWith(trunk) ? digits.slice(trunk.length) : digits;
    return lengths.has(number.length) && all.pattern.test(number);
  });
}

/** Numbers of a country that have an entity of their own: country code, national numbers, and the score of a national form without trunk. */
export const OF_COUNTRIES: readonly { entity: string; code: string; pattern: RegExp; bare: number }[] = [
  { entity: 'TR_PHONE_NUMBER', code: '90', pattern: /^5\d{9}$/, bare: 0.2 },
  // Area codes are even.
  { entity: 'TR_PHONE_NUMBER', code: '90', pattern: /^[2-4]\d[02468]\d{7}$/, bare: 0.1 },
  { entity: 'PH_MOBILE_NUMBER', code: '63', pattern: /^9\d{9}$/, bare: 0 },
  { entity: 'ZA_MOBILE_NUMBER', code: '27', pattern: /^(?:6\d|7\d|8[1-5])\d{7}$/, bare: 0 },
  { entity: 'ZA_TELEPHONE_NUMBER', code: '27', pattern: /^(?:[1-5]\d|8[067])\d{7}$/, bare: 0 },
];
