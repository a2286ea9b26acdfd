/** Microsoft Presidio (decisions, Adapters). */
import { LIMITS } from '../limits.js';
import { refTo } from '../openapi/forms.js';
import { CHECKED, type Exchanges, endpoints, optional, TEXT } from './endpoint.js';

const CARD = 'My card is 4111 1111 1111 1111.';

const ANALYZE: Exchanges['requests'] = {
  text: { summary: 'A text', value: { text: CARD, language: 'en' } },
  texts: {
    summary: 'Two texts, and one entity',
    value: { text: ['Good morning.', CARD], language: 'en', entities: ['CREDIT_CARD'], score_threshold: 0.4 },
  },
  recognizers: {
    summary: 'What is not taken',
    value: { text: CARD, language: 'en', ad_hoc_recognizers: [{ name: 'Zip code', supported_entity: 'ZIP' }] },
    refused: [
      {
        path: 'ad_hoc_recognizers',
        code: 'unsupported',
        message: 'is not supported: what is looked for is up to the policies',
      },
    ],
  },
};

const ANONYMIZE: Exchanges = {
  requests: {
    card: {
      summary: 'A masked card',
      value: {
        text: CARD,
        analyzer_results: [{ entity_type: 'CREDIT_CARD', start: 11, end: 30, score: 1 }],
        anonymizers: { DEFAULT: { type: 'mask', masking_char: '*', chars_to_mask: 14, from_end: false } },
      },
    },
    encrypt: {
      summary: 'What is not done',
      value: {
        text: CARD,
        analyzer_results: [],
        anonymizers: { DEFAULT: { type: 'encrypt' } },
      },
      refused: [
        {
          path: 'anonymizers.DEFAULT.type',
          code: 'unsupported',
          message: 'expected replace, redact, mask, hash or keep',
        },
      ],
    },
  },
  answers: {
    card: {
      value: {
        text: 'My card is ************** 1111.',
        items: [
          {
            start: 11,
            end: 30,
            entity_type: 'CREDIT_CARD',
            text: '************** 1111',
            operator: 'mask',
          },
        ],
      },
    },
  },
};

const FINDING = refTo('PresidioFinding');
const MIB = 1024 * 1024;

export const presidioEndpoints = endpoints({
  analyzeText: {
    method: 'POST',
    path: '/analyze',
    versions: [],
    scope: 'check',
    dialect: 'presidio',
    apiKeyHeader: true,
    keyless: true,
    tag: 'Adapters',
    summary: 'Find personal data as Presidio does',
    description: `The interface of Microsoft Presidio, where \`WEIR_DIALECTS\` has \`presidio\`. Each text is a session check against the default deployment of the API key; the answer has all that policies for input which it violates have found. Requests without a key count as those of the key that has their address in its \`without_key_from\`. No version is needed. ${CHECKED}`,
    body: { schema: 'PresidioAnalyzeRequest', examples: ANALYZE },
    answer: {
      description: 'The finds, the surest first; of a list of texts, a list of them for each.',
      types: {
        'application/json': { type: 'array', items: { oneOf: [FINDING, { type: 'array', items: FINDING }] } },
      },
    },
    errors: ['content_too_large', 'not_evaluable'],
  },
  anonymizeText: {
    method: 'POST',
    path: '/anonymize',
    versions: [],
    scope: 'check',
    dialect: 'presidio',
    apiKeyHeader: true,
    keyless: true,
    alone: true,
    tag: 'Adapters',
    summary: 'Replace finds as Presidio does',
    description: `Replaces the finds of \`POST /analyze\` in a text. Nothing is checked or stored. The text has at most ${LIMITS.restoreTextBytes / MIB} MiB, and ${LIMITS.restoredBytes / MIB} MiB once they are replaced. No version is needed.`,
    body: { schema: 'PresidioAnonymizeRequest', examples: ANONYMIZE.requests },
    answer: { description: 'The new text.', schema: 'PresidioAnonymized', examples: ANONYMIZE.answers },
    errors: ['content_too_large'],
  },
  supportedEntities: {
    method: 'GET',
    path: '/supportedentities',
    versions: [],
    scope: 'check',
    dialect: 'presidio',
    apiKeyHeader: true,
    keyless: true,
    tag: 'Adapters',
    summary: 'What is looked for',
    description:
      'The entities that policies for input of the default deployment of the API key look for in texts. No version is needed.',
    parameters: [optional('language', 'A code of a language. It is ignored: Weir tells the language by itself.', TEXT)],
    answer: {
      description: 'Names of entities.',
      types: { 'application/json': { type: 'array', items: TEXT } },
    },
  },
});
