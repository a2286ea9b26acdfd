/**
 * Texts that a language model judges by a policy in words. The engine cannot ask: it says what is left open (`questions.ts`), a worker
 * asks the backend that the operator runs, and the item is evaluated again with the answers.
 */
import { type Cursor, fieldsOf, flagOf, listOf, requireGiven, textOf } from '../../configuration/read/fields.js';
import type { Criteria } from '../types.js';
import { optionalThreshold } from './classifier.js';
import { type Detector, firedOnText } from './detector.js';
import { parametersAt } from './parameters.js';

export interface LlmParameters extends Criteria {
  /** id of a backend of the policy's team */
  backend: string;
  /** least score, 0 to 1; absent: the model decides */
  threshold?: number | undefined;
}

const MAX_CRITERIA = 8000;
const MAX_EXAMPLES = 16;
const MAX_EXAMPLE = 1000;

export const llm: Detector<LlmParameters> = {
  help: 'texts that a language model of yours judges to be what you describe',
  parameters: {
    backend: 'id of a backend of the team',
    flagged_content: `in words, what is flagged; ${MAX_CRITERIA} characters at most`,
    allowed_content: `in words, what is not, though it may look like it; ${MAX_CRITERIA} characters at most`,
    examples: `up to ${MAX_EXAMPLES} of {content, flagged} [none]`,
    threshold: 'least score, 0 to 1 [the model says whether]',
  },
  read,
  text: {
    interests: () => [],
    question: ({ backend, flagged_content, allowed_content, examples, threshold }) => ({
      about: { backend, criteria: { flagged_content, allowed_content, examples } },
      evidence: (said, text) => {
        if ('windows' in said) return [];
        const fires = threshold === undefined ? said.flagged : said.score >= threshold;
        return fires ? [firedOnText('llm', { start: 0, end: text.length, score: said.score })] : [];
      },
    }),
  },
};

function read(cursor: Cursor): LlmParameters | undefined {
  const fields = parametersAt(cursor, llm);
  if (!fields) return undefined;
  const words = (key: string): string =>
    textOf(fields.get(key), { max: MAX_CRITERIA, expected: `a text of 1 to ${MAX_CRITERIA} characters` });
  return {
    backend: textOf(fields.get('backend'), { max: 128, expected: 'the id of a backend' }),
    flagged_content: words('flagged_content'),
    allowed_content: words('allowed_content'),
    examples: listOf(fields.get('examples'), MAX_EXAMPLES, readExample),
    threshold: optionalThreshold(fields.get('threshold')),
  };
}

function readExample(cursor: Cursor): Criteria['examples'][number] | undefined {
  const fields = fieldsOf(cursor, ['content', 'flagged']);
  if (!fields) return undefined;
  const flagged = fields.get('flagged');
  requireGiven(flagged, 'true or false');
  return { content: textOf(fields.get('content'), { max: MAX_EXAMPLE }), flagged: flagOf(flagged, false) };
}
