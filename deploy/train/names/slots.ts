/** Makes what stands in the slots of sentences: names of many cultures, also ones that nobody has, and addresses as countries write them. */
import type { TrainingRandom } from '../random.js';
import type { NameLists } from './texts.js';

export type Culture = 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl';

/** What fills a slot: pieces in a row. `entity` names what the piece is; undefined: nothing that is looked for. */
export interface SlotPiece {
  text: string;
  entity?: number;
}

const [PERSON, LOCATION, ORGANIZATION, POSTAL_ADDRESS] = [0, 1, 2, 3] as const;

const GIVEN: Record<Culture, string> = {
  de: 'german',
  fr: 'french',
  es: 'spanish',
  it: 'italian',
  pt: 'portuguese',
  nl: 'dutch',
};
export const GIVEN_LISTS = [
  'given',
  ...Object.values(GIVEN),
  'nordic',
  'slavic',
  'arabic',
  'asian',
  'indian',
  'african',
];
export const SURNAME_LISTS = GIVEN_LISTS.map((name) => (name === 'given' ? 'surname' : `${name} surname`));

const ONSETS = 'b br c ch cl d dr f fl g gr h j k kl kr l m n p pr qu r s sch sh sl st str t th tr v w y z'.split(' ');
const VOWELS = 'a e i o u a e i o a e ai ee ia ou oa ei'.split(' ');
const CODAS = ['', '', '', 'n', 'r', 'l', 's', 'm', 't', 'nd', 'ck', 'rt', 'th', 'ng', 'x', 'ss', 'ld'];
const ENDS = [
  'son',
  'sen',
  'ski',
  'ova',
  'ez',
  'ini',
  'etti',
  'ard',
  'eau',
  'man',
  'berg',
  'stein',
  'ić',
  'escu',
  'oğlu',
  'yan',
  'dze',
  'nen',
];

/** Share of names that are in no list, so that what stands around them is learned. */
const UNKNOWN = 0.35;

export interface SlotMaker {
  make(slot: string, culture: Culture | undefined): SlotPiece[];
}

export function createSlots(lists: NameLists, random: TrainingRandom): SlotMaker {
  const { pick, chance, below } = random;
  const list = (name: string): string => {
    const words = lists.get(name);
    if (!words) throw new Error(`deploy/train/names/lists: there is no list "${name}"`);
    return pick(words);
  };
  const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
  const syllable = (): string => pick(ONSETS) + pick(VOWELS) + pick(CODAS);
  const madeUp = (): string =>
    capital(
      Array.from({ length: 1 + below(2) }, syllable).join('') +
        pick(VOWELS.slice(0, 5)) +
        pick(['', '', 'n', 's', 'r']),
    );
  const digits = (count: number): string => Array.from({ length: count }, () => below(10)).join('');
  const cultureList = (culture: Culture | undefined): string =>
    culture && chance(0.8) ? GIVEN[culture] : chance(0.45) ? 'given' : pick(GIVEN_LISTS);

  const first = (culture?: Culture): string => (chance(UNKNOWN) ? madeUp() : list(cultureList(culture)));
  const plainLast = (culture?: Culture): string => {
    if (chance(UNKNOWN)) return chance(0.5) ? madeUp() : capital(syllable() + pick(ENDS));
    const name = cultureList(culture);
    return list(name === 'given' ? 'surname' : `${name} surname`);
  };
  const last = (culture?: Culture): string => {
    const name = plainLast(culture);
    if (chance(0.05)) return `${name}-${plainLast(culture)}`;
    if (chance(0.03))
      return `${pick(['van der', 'van', 'de', 'von', 'di', 'del', 'da', 'dos', 'bin', 'al', 'de la', 'el', 'Mac', 'St.'])} ${name}`;
    if ((culture === 'es' || culture === 'pt') && chance(0.35)) return `${name} ${plainLast(culture)}`;
    return name;
  };
  const initial = (): string => `${String.fromCharCode(65 + below(26))}.`;
  const person = (culture?: Culture): string => {
    const name = first(culture);
    if (chance(0.12)) return name;
    if (chance(0.07)) return `${name} ${initial()} ${last(culture)}`;
    if (chance(0.04)) return `${initial()} ${last(culture)}`;
    if (chance(0.02)) return `${initial()}${chance(0.5) ? ' ' : ''}${initial()} ${last(culture)}`;
    if (chance(0.06)) return `${name} ${first(culture)} ${last(culture)}`;
    return `${name} ${last(culture)}${chance(0.02) ? pick([' Jr.', ' Sr.', ' III', ' II']) : ''}`;
  };
  const bare = (name: string): string => name.replace(/^the /, '');
  const city = (): string => {
    if (!chance(0.3)) return bare(list('city'));
    const root = chance(0.4) ? madeUp() : chance(0.5) ? list('surname') : capital(syllable());
    if (chance(0.4)) return `${list('place start')} ${root}`;
    return chance(0.7) ? root + list('place end') : `${root} ${list('place word')}`;
  };
  const placePieces = (culture?: Culture): SlotPiece[] => {
    if (chance(0.12))
      return [
        { text: city(), entity: LOCATION },
        { text: ', ' },
        { text: bare(list(chance(0.6) ? 'country' : 'region')), entity: LOCATION },
      ];
    const the = !culture && chance(0.5) ? list(chance(0.55) ? 'country' : 'region') : city();
    return the.startsWith('the ')
      ? [{ text: 'the ' }, { text: bare(the), entity: LOCATION }]
      : [{ text: the, entity: LOCATION }];
  };
  const companyRoot = (): string => (chance(0.3) ? madeUp() : chance(0.5) ? list('company word') : plainLast());
  const org = (culture?: Culture): string => {
    const kind = below(100);
    const and = pick([' & ', ' & ', ' + ']);
    if (culture && kind < 30) {
      if (chance(0.4)) return `${list('foreign institution')} ${city()}`;
      return `${plainLast(culture)} ${list('company suffix')}`;
    }
    if (kind < 22) return list('company');
    if (kind < 30)
      return `${plainLast()}${pick([' and Sons', ' & Sons', ' Group', ' PLC', ' LLC', ' Ltd', ' Inc', ' & Co.', ' Brothers'])}`;
    if (kind < 36) return `${plainLast()}, ${plainLast()} and ${plainLast()}${chance(0.2) ? ' LLP' : ''}`;
    if (kind < 40) return `${plainLast()}${and}${plainLast()}`;
    if (kind < 43) return `${plainLast()}-${plainLast()}`;
    if (kind < 60) return `${companyRoot()} ${list('company field')}`;
    if (kind < 70) return `${companyRoot()} ${list('company field')}${pick([' ', ', '])}${list('company suffix')}`;
    if (kind < 78) return `${companyRoot()}${pick([' ', ', '])}${list('company suffix')}`;
    if (kind < 81)
      return `${madeUp()}${pick(['Tech', 'Soft', 'Corp', 'ware', 'Bank', 'Net', 'Labs', 'Works', '.io', 'ly'])}`;
    if (kind < 89) return `${chance(0.6) ? city() : plainLast()} ${list('institution')}`;
    if (kind < 94) return `${list('institution of')} ${chance(0.5) ? city() : list('field of study')}`;
    if (kind < 97)
      return `St. ${pick(['Mary', 'John', 'Luke', 'Joseph', 'Anne', 'Peter', 'Jude'])}'s ${pick(['Hospital', 'School', 'Church', 'College'])}`;
    return `${list('company word')} ${companyRoot()} ${list('company field')}`;
  };

  const streetName = (): string => {
    const kind = below(100);
    if (kind < 45) return list('street name');
    if (kind < 65) return plainLast();
    if (kind < 80) return madeUp();
    if (kind < 90)
      return pick([
        '1st',
        '2nd',
        '3rd',
        '4th',
        '5th',
        `${4 + below(6)}th`,
        `${11 + below(9)}th`,
        `${21 + below(60)}st`,
      ]);
    return `${list('street name')} ${list('street name')}`;
  };
  const direction = (): string =>
    chance(0.15) ? `${pick(['North', 'South', 'East', 'West', 'N', 'S', 'E', 'W', 'NW', 'SE', 'N.', 'S.'])} ` : '';
  const unit = (): string =>
    chance(0.25)
      ? `${pick([', ', ' ', ', '])}${list('unit')} ${chance(0.7) ? 1 + below(900) : pick(['A', 'B', '2B', '4C', '12a', 'C3'])}`
      : '';
  const house = (): string =>
    chance(0.1)
      ? `${1 + below(99)}${pick(['a', 'b', 'A', 'B', '-3', '/2'])}`
      : String(1 + below(chance(0.5) ? 200 : 20_000));
  const streetOf = (culture: Culture | undefined): string => {
    switch (culture) {
      case 'de': {
        const root = chance(0.3) ? madeUp() : list('german street');
        const type = list('german street type');
        return `${/(-|er)$/.test(root) ? `${root}${root.endsWith('-') ? '' : ' '}${capital(type)}` : root + type} ${house()}`;
      }
      case 'fr':
        return `${house()}${chance(0.15) ? ' bis' : ''}${chance(0.3) ? ',' : ''} ${list('french street type')} ${chance(0.25) ? plainLast('fr') : list('french street')}`;
      case 'es':
        return `${list('spanish street type')} ${chance(0.25) ? plainLast('es') : list('spanish street')}${pick([', ', ' ', ', nº ', ' '])}${house()}${chance(0.3) ? pick([', 2º B', ', 3º izq.', ', piso 4', ' Int. 5', ', bajo']) : ''}`;
      case 'it':
        return `${list('italian street type')} ${chance(0.25) ? plainLast('it') : list('italian street')}${pick([', ', ' ', ' n. '])}${house()}`;
      case 'pt':
        return `${list('portuguese street type')} ${chance(0.25) ? plainLast('pt') : list('portuguese street')}${pick([', ', ' ', ', nº '])}${house()}${chance(0.25) ? pick([', 3º Dto', ', apto 42', ' - bloco B', ', 2º Esq.']) : ''}`;
      case 'nl':
        return `${(chance(0.3) ? madeUp() : list('dutch street')) + list('dutch street type')} ${house()}`;
      default:
        if (chance(0.04)) return `${pick(['P.O. Box', 'PO Box', 'Post Office Box', 'P.O. BOX'])} ${1 + below(9000)}`;
        if (chance(0.05)) return `${list('unit')} ${1 + below(90)}, ${house()} ${streetName()} ${list('street type')}`;
        if (chance(0.04)) return `${madeUp()} House, ${house()} ${streetName()} ${list('street type')}`;
        return `${house()} ${direction()}${streetName()} ${list('street type')}${unit()}`;
    }
  };
  const letters = (count: number): string =>
    Array.from({ length: count }, () => String.fromCharCode(65 + below(26))).join('');
  const zip = (): string => {
    const kind = below(10);
    if (kind < 6) return digits(5) + (chance(0.1) ? `-${digits(4)}` : '');
    return kind < 9
      ? `${letters(chance(0.5) ? 1 : 2)}${1 + below(20)} ${below(10)}${letters(2)}`
      : `${letters(1)}${below(10)}${letters(1)} ${below(10)}${letters(1)}${below(10)}`;
  };
  const townOf = (culture: Culture | undefined): string => {
    const country = chance(0.15) ? bare(list('country')) : '';
    const end = country === '' ? '' : `, ${country}`;
    if (culture === 'nl') return `${1000 + below(8999)} ${letters(2)} ${city()}${end}`;
    if (culture)
      return `${chance(0.9) ? `${digits(culture === 'pt' ? 4 : 5)}${culture === 'pt' ? `-${digits(3)}` : ''} ` : ''}${city()}${culture === 'it' && chance(0.3) ? ` (${letters(2)})` : ''}${end}`;
    const kind = below(10);
    if (kind < 5) return `${city()}, ${chance(0.8) ? list('state') : list('region')} ${zip()}${end}`;
    if (kind < 7) return `${city()} ${zip()}${end}`;
    if (kind < 8) return `${city()}, ${zip()}${end}`;
    if (kind < 9) return `${city()}${end}`;
    return `${city()} ${list('state')} ${zip()}${end}`;
  };
  /** As in Sweden, Poland and India, and mail to ships. */
  const elsewhere = (): string => {
    const between = pick([', ', ' ', '\n']);
    switch (below(4)) {
      case 0:
        return `${list('swedish street')}${list('swedish street type')} ${house()}${between}${digits(3)} ${digits(2)} ${city()}`;
      case 1:
        return `${list('polish street type')} ${list('polish street')} ${house()}${chance(0.5) ? `/${below(90)}` : ''}${between}${digits(2)}-${digits(3)} ${city()}`;
      case 2:
        return `${pick(['H.No.', 'House No.', 'Plot', 'No.', 'Door No.', '']).trim()} ${1 + below(400)}, ${plainLast('nl')} ${pick(['Road', 'Nagar', 'Marg', 'Street', 'Chowk', 'Colony', 'Layout'])}${between}${city()}${pick(['-', ' ', ' - '])}${digits(6)}`.trim();
      default:
        return `${pick(['PSC', 'Unit', 'USNS', 'USS', 'USCGC'])} ${chance(0.5) ? digits(4) : plainLast()}${pick([', ', '\n'])}${pick(['APO', 'FPO', 'DPO'])} ${pick(['AE', 'AP', 'AA'])} ${digits(5)}`;
    }
  };
  const address = (form: string, culture: Culture | undefined): string => {
    if (culture === undefined && chance(0.05)) return elsewhere();
    const own =
      culture ?? (form === '' && chance(0.06) ? pick(['de', 'fr', 'es', 'it', 'pt', 'nl'] as const) : undefined);
    const street = streetOf(own);
    if (form === 'street' || (form === 'short' && chance(0.6)) || (form !== 'multi' && chance(0.3))) return street;
    const between = form === 'multi' ? pick(['\n', '\n', ',\n', '\n    ']) : pick([', ', ', ', ', ', ' ', '\n']);
    return street + between + townOf(own);
  };

  const money = (): string =>
    pick([
      `$${1 + below(900)}`,
      `$${1 + below(90)}.${digits(2)}`,
      `€${below(5000)}`,
      `${below(900)} EUR`,
      `£${below(90)},000`,
      `${1 + below(90)} million dollars`,
      `$${1 + below(9)} billion`,
    ]);
  const word = (): string => list('item').split(' ')[0]!;
  const code = (): string => {
    const [a, b] = [word(), list('key')];
    return pick([
      `${a}_${b}`,
      `${a}${capital(b)}`,
      `get${capital(a)}`,
      `${capital(a)}${capital(b)}Service`,
      `${a}-${b}`,
      `${a}.${b}`,
      `${a}${below(99)}`,
      `${a}${b}`,
      `on${capital(b)}`,
    ]);
  };
  const date = (): string =>
    pick([
      `${1 + below(28)} ${list('month')} ${1950 + below(76)}`,
      `${list('month')} ${1 + below(28)}, ${1950 + below(76)}`,
      `${1950 + below(76)}-${10 + below(3)}-${10 + below(18)}`,
      `${1 + below(12)}/${1 + below(28)}/${1950 + below(76)}`,
      `${1 + below(28)}.${1 + below(12)}.${2000 + below(26)}`,
    ]);
  const FILLERS: Record<string, () => string> = {
    num: () => String(1 + below(chance(0.6) ? 30 : 3000)),
    zip,
    year: () => String(1950 + below(76)),
    time: () => `${below(24)}:${digits(2).replace(/^[6-9]/, '3')}${chance(0.3) ? pick([' am', ' pm', 'pm']) : ''}`,
    date,
    money,
    code,
    id: () => pick([digits(6 + below(8)), `${letters(2)}-${digits(5)}`, `#${digits(7)}`, `${letters(3)}${digits(4)}`]),
    email: () =>
      `${madeUp().toLowerCase()}${pick(['.', '_', ''])}${pick([madeUp().toLowerCase(), digits(2), list('surname').toLowerCase()])}@${pick(['example.com', 'gmail.com', `${word()}.org`, `mail.${word()}.net`])}`,
    phone: () =>
      pick([
        `+1 ${digits(3)} ${digits(3)} ${digits(4)}`,
        `(${digits(3)}) ${digits(3)}-${digits(4)}`,
        `${digits(3)}-${digits(3)}-${digits(4)}`,
        `0${digits(4)} ${digits(6)}`,
        digits(10),
      ]),
    url: () => `${pick(['https://', 'http://', 'www.'])}${word()}.${pick(['com', 'org', 'io'])}/${list('key')}`,
    file: () =>
      `${pick([word(), capital(word()), list('key')])}.${pick(['txt', 'pdf', 'py', 'ts', 'docx', 'xlsx', 'json', 'md'])}`,
    initial,
    'madeup word': () => capital(syllable() + (chance(0.6) ? syllable() : '') + list('suffix of words')),
    'camel word': () =>
      pick([
        `${capital(word())}${capital(list('key').split('_')[0]!)}`,
        `${word()}${capital(list('technical').replace(/\W.*/, ''))}`,
        `${capital(syllable())}${list('technical').replace(/\W.*/, '')}`,
        `${letters(3)}${capital(word())}`,
      ]),
    relative: () =>
      pick(
        'wife husband mother father sister brother son daughter aunt uncle cousin boss friend neighbour colleague partner landlord dog cat grandmother roommate'.split(
          ' ',
        ),
      ),
  };

  return {
    make(slot, culture) {
      const [name = '', form = ''] = slot.split(':');
      switch (name) {
        case 'person':
          return [{ text: person(culture), entity: PERSON }];
        case 'first':
          return [{ text: first(culture), entity: PERSON }];
        case 'last':
          return [{ text: last(culture), entity: PERSON }];
        case 'place':
          return placePieces(culture);
        case 'city':
          return [{ text: city(), entity: LOCATION }];
        case 'country':
          return [{ text: bare(list('country')), entity: LOCATION }];
        case 'state':
          return [{ text: list('state'), entity: LOCATION }];
        case 'org': {
          const text = org(culture);
          return text.startsWith('The ')
            ? [{ text: 'The ' }, { text: text.slice(4), entity: ORGANIZATION }]
            : [{ text, entity: ORGANIZATION }];
        }
        case 'address':
          return [
            {
              text: address(form.length === 2 ? '' : form, form.length === 2 ? (form as Culture) : culture),
              entity: POSTAL_ADDRESS,
            },
          ];
        default:
          return [{ text: FILLERS[name] ? FILLERS[name]() : list(name) }];
      }
    },
  };
}
