/** All entities: what they are, and the groups that name several of them. Documents are held against this. */

export interface Entity {
  /** what the number is */
  what: string;
  /** what is checked beside the layout; absent: the form alone */
  check?: string;
  /** least and highest score without words nearby */
  score: readonly [least: number, most: number];
  /** a country, or `generic`; then topics */
  groups: readonly string[];
}

const of = (groups: string, what: string, check: string, least: number, most = least): Entity => ({
  what,
  ...(check === '' ? {} : { check }),
  score: [least, most],
  groups: groups.split(' '),
});

export const ENTITIES = {
  CREDIT_CARD: of('generic financial', 'payment card, 12 to 19 digits', 'Luhn, ranges of issuers', 0.3, 1),
  IBAN_CODE: of('generic financial', 'international bank account', 'ISO 7064 MOD 97-10, length by country', 1),
  CRYPTO: of(
    'generic financial',
    'address of Bitcoin, Litecoin, Dogecoin, Tron, Ethereum',
    'Base58Check, Bech32; Ethereum: form',
    0.6,
    1,
  ),
  EMAIL_ADDRESS: of('generic contact', 'e-mail address', '', 1),
  PHONE_NUMBER: of('generic contact', 'telephone number of any region', 'numbering plans (libphonenumber)', 0.1, 0.75),
  IP_ADDRESS: of('generic network', 'IPv4 or IPv6 address, or a network such as 192.0.2.0/24', '', 0.1, 0.6),
  MAC_ADDRESS: of('generic network', 'address of network hardware', '', 0.7),
  URL: of('generic network', 'address on the web', 'well-known top-level domain where there is no scheme', 0.5, 0.6),
  UUID: of('generic network', 'UUID of version 1 to 8', 'version, variant', 0.5),
  PERSON: of('generic', 'name of a person', 'model', 0.01, 1),
  LOCATION: of('generic', 'name of a place: city, region, country', 'model', 0.01, 1),
  ORGANIZATION: of('generic', 'name of a company, authority, school', 'model', 0.01, 1),
  POSTAL_ADDRESS: of('generic', 'postal address, or the street alone', 'model', 0.01, 1),
  DATE_TIME: of('generic', 'date or time of day', 'calendar', 0.1, 0.6),
  US_SSN: of('US tax', 'Social Security number', 'areas and groups that are issued', 0.05, 0.6),
  US_ITIN: of('US tax', 'Individual Taxpayer Identification Number', 'ranges of the fourth and fifth digit', 0.2, 0.6),
  US_PASSPORT: of('US passport', 'passport, 9 digits or a letter and 8', '', 0.1, 0.2),
  US_BANK_NUMBER: of('US financial', 'bank account, 8 to 17 digits', '', 0.05),
  ABA_ROUTING_NUMBER: of('US financial', 'routing number of a bank', 'prefixes, modulus 10', 0.3, 0.6),
  US_DRIVER_LICENSE: of('US vehicle', "driver's licence, formats of the states", '', 0.04, 0.4),
  US_MBI: of('US health', 'Medicare Beneficiary Identifier', 'letters by place', 0.48, 0.7),
  US_NPI: of('US health', 'National Provider Identifier', 'Luhn with 80840', 0.3, 0.5),
  MEDICAL_LICENSE: of('US health', 'DEA registration of prescribers', 'check digit, kind of registrant', 0.4, 0.8),
  CA_SIN: of('CA tax', 'Social Insurance Number', 'Luhn', 0.3, 0.7),
  CA_POSTAL_CODE: of('CA contact', 'postal code', 'letters by place', 0.16, 0.5),
  UK_NHS: of('UK health', 'NHS number', 'modulus 11', 0.3, 0.7),
  UK_NINO: of('UK tax', 'National Insurance number', 'prefixes that are issued', 0.16, 0.8),
  UK_PASSPORT: of('UK passport', 'passport, 9 digits', '', 0.1),
  UK_POSTCODE: of('UK contact', 'postcode', 'areas, letters by place', 0.16, 0.5),
  UK_DRIVING_LICENCE: of('UK vehicle', 'driving licence, 16 characters', 'date of birth', 0.64, 0.8),
  UK_VEHICLE_REGISTRATION: of('UK vehicle', 'number plate since 1963', 'letters by place', 0.16, 0.4),
  ES_NIF: of('ES tax', 'DNI and NIF of persons', 'letter, modulus 23', 0.4, 0.9),
  ES_NIE: of('ES tax', 'number of foreigners', 'letter, modulus 23', 0.64, 0.9),
  ES_PASSPORT: of('ES passport', 'passport, 3 letters and 6 digits', '', 0.16, 0.3),
  IT_FISCAL_CODE: of('IT tax', 'codice fiscale', 'month, check character; without it a weak form', 0.24, 1),
  IT_VAT_CODE: of('IT tax', 'partita IVA', 'Luhn', 0.3, 0.9),
  IT_DRIVER_LICENSE: of('IT vehicle', 'patente', '', 0.16, 0.3),
  IT_PASSPORT: of('IT passport', 'passport, 2 letters and 7 digits', '', 0.08, 0.2),
  IT_IDENTITY_CARD: of('IT', 'identity card, paper and electronic', '', 0.08, 0.3),
  FR_NIR: of('FR health', 'social security number', 'key, modulus 97; month, department', 0.9, 1),
  PL_PESEL: of('PL tax', 'PESEL', 'date of birth, modulus 10', 0.3, 0.4),
  FI_PERSONAL_IDENTITY_CODE: of('FI tax', 'henkilötunnus', 'date of birth, modulus 31', 0.2, 1),
  SE_PERSONNUMMER: of('SE tax', 'personal and coordination number', 'date of birth, Luhn', 0.2, 0.9),
  SE_ORGANISATIONSNUMMER: of('SE tax', 'number of an organisation', 'Luhn, third digit', 0.3, 0.9),
  DK_CPR_NUMBER: of('DK tax', 'CPR number', 'date of birth; modulus 11 where it holds', 0.2, 0.7),
  TR_NATIONAL_ID: of('TR tax', 'T.C. kimlik numarası', 'two check digits', 0.3, 0.8),
  TR_LICENSE_PLATE: of('TR vehicle', 'number plate', 'province', 0.08, 0.4),
  TR_PHONE_NUMBER: of('TR contact', 'telephone', 'numbering plan', 0.1, 0.75),
  DE_TAX_ID: of('DE tax', 'Steueridentifikationsnummer', 'ISO 7064 MOD 11,10; repeated digits', 0.3, 0.8),
  DE_TAX_NUMBER: of('DE tax', 'Steuernummer', 'state of the long form', 0.05, 0.5),
  DE_VAT_ID: of(
    'DE tax',
    'Umsatzsteuer-Identifikationsnummer',
    'ISO 7064 MOD 11,10; without it a weak form',
    0.24,
    0.9,
  ),
  DE_PASSPORT: of('DE passport', 'Reisepass', 'ICAO 9303 where the check digit is given', 0.24, 0.8),
  DE_ID_CARD: of('DE', 'Personalausweis', 'ICAO 9303 where the check digit is given', 0.08, 0.8),
  DE_SOCIAL_SECURITY: of('DE tax', 'Rentenversicherungsnummer', 'date of birth, weights of the VKVV', 0.72, 1),
  DE_HEALTH_INSURANCE: of('DE health', 'Krankenversichertennummer', 'check digit of section 290 SGB V', 0.4, 0.6),
  DE_LANR: of('DE health', 'number of a physician', 'check digit of the KBV', 0.3),
  DE_BSNR: of('DE health', 'number of a practice', 'region', 0.05, 0.1),
  DE_FUEHRERSCHEIN: of('DE vehicle', 'driving licence', '', 0.08, 0.3),
  DE_KFZ: of('DE vehicle', 'number plate', '', 0.08, 0.4),
  DE_HANDELSREGISTER: of('DE', 'number in the commercial register', '', 0.48, 0.7),
  DE_PLZ: of('DE contact', 'postal code', '', 0.05),
  SG_NRIC_FIN: of('SG tax', 'NRIC or FIN', 'check letter; without it a weak form', 0.04, 0.9),
  SG_UEN: of('SG tax', 'Unique Entity Number', 'check letter', 0.48, 0.9),
  IN_PAN: of('IN tax', 'Permanent Account Number', 'kind of holder', 0.24, 0.8),
  IN_AADHAAR: of('IN tax', 'Aadhaar', 'Verhoeff', 0.3, 0.8),
  IN_GSTIN: of('IN tax', 'GST Identification Number', 'state, check character; without it a weak form', 0.32, 0.9),
  IN_VOTER: of('IN', "voter's card (EPIC)", '', 0.08, 0.4),
  IN_PASSPORT: of('IN passport', 'passport, a letter and 7 digits', 'digits that are not zero', 0.08, 0.2),
  IN_VEHICLE_REGISTRATION: of('IN vehicle', 'number plate', 'state', 0.08, 0.6),
  KR_RRN: of('KR tax', 'resident registration number', 'date of birth; check digit where it holds', 0.2, 0.9),
  KR_FRN: of('KR tax', 'foreigner registration number', 'date of birth; check digit where it holds', 0.2, 0.9),
  KR_BRN: of('KR tax', 'business registration number', 'check digit', 0.3, 0.7),
  KR_DRIVER_LICENSE: of('KR vehicle', "driver's licence", 'region', 0.1, 0.6),
  KR_PASSPORT: of('KR passport', 'passport, old and new form', 'kind of passport', 0.16, 0.4),
  TH_TNIN: of('TH tax', 'national identification number', 'province, modulus 11', 0.3, 0.9),
  PH_TIN: of('PH tax', 'Taxpayer Identification Number', '', 0.05, 0.3),
  PH_UMID: of('PH tax', 'Unified Multi-Purpose ID', '', 0.1, 0.6),
  PH_PASSPORT: of('PH passport', 'passport', '', 0.16, 0.3),
  PH_MOBILE_NUMBER: of('PH contact', 'mobile telephone', 'numbering plan', 0.3, 0.75),
  AU_ABN: of('AU tax', 'Australian Business Number', 'modulus 89', 0.3, 0.9),
  AU_ACN: of('AU tax', 'Australian Company Number', 'modulus 10', 0.3, 0.6),
  AU_TFN: of('AU tax', 'Tax File Number', 'modulus 11', 0.3, 0.6),
  AU_MEDICARE: of('AU health', 'Medicare number', 'modulus 10', 0.2, 0.8),
  ZA_ID_NUMBER: of('ZA tax', 'identity number', 'date of birth, Luhn', 0.3, 0.9),
  ZA_PASSPORT: of('ZA passport', 'passport, A, D, M or T and 8 digits', '', 0.16, 0.2),
  ZA_INCOME_TAX_NUMBER: of('ZA tax', 'income tax reference', 'Luhn; without it a weak form', 0.1, 0.6),
  ZA_VAT_NUMBER: of('ZA tax', 'VAT registration', 'Luhn; without it a weak form', 0.1, 0.4),
  ZA_DRIVER_LICENSE: of('ZA vehicle', "driver's licence, 10 to 14 characters", '', 0.04, 0.2),
  ZA_COMPANY_REGISTRATION: of('ZA tax', 'company registration', 'year, kind of company', 0.16, 0.7),
  ZA_TRAFFIC_REGISTER_NUMBER: of('ZA vehicle', 'traffic register number, no identity number', '', 0.08, 0.1),
  ZA_LICENSE_PLATE: of('ZA vehicle', 'number plate', 'province', 0.08, 0.4),
  ZA_MOBILE_NUMBER: of('ZA contact', 'mobile telephone', 'numbering plan', 0.3, 0.75),
  ZA_TELEPHONE_NUMBER: of('ZA contact', 'other telephone', 'numbering plan', 0.3, 0.75),
  NG_NIN: of('NG tax', 'National Identification Number', 'Verhoeff', 0.3, 0.6),
  NG_VEHICLE_REGISTRATION: of('NG vehicle', 'number plate since 2011', '', 0.24, 0.5),
  BR_CPF: of('BR tax', 'CPF', 'two check digits', 0.3, 0.95),
  BR_CNPJ: of('BR tax', 'CNPJ, with or without letters', 'two check digits', 0.3, 0.95),
} as const satisfies Record<string, Entity>;

export type PiiEntity = keyof typeof ENTITIES;
export const ENTITY_NAMES = Object.keys(ENTITIES) as PiiEntity[];

/** In most texts that have nothing personal. `all` and the groups leave them out: who wants them names them. */
export const ORDINARY: readonly PiiEntity[] = [
  'PERSON',
  'LOCATION',
  'ORGANIZATION',
  'POSTAL_ADDRESS',
  'DATE_TIME',
  'URL',
  'UUID',
];

/** By group: its entities. `all` has those of every group. */
export const GROUPS: ReadonlyMap<string, readonly PiiEntity[]> = (() => {
  const groups = new Map<string, PiiEntity[]>([['all', []]]);
  for (const name of ENTITY_NAMES) {
    if (ORDINARY.includes(name)) continue;
    for (const group of ['all', ...ENTITIES[name].groups]) groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  return groups;
})();
