/** Whether cases pass by edited policies: files as `weir test` reads them. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PolicyTestCase, PolicyTestResult } from '../../../shared/api/try.js';
import type { Api } from '../api.js';
import { type EditedDraft, editedIn } from '../parts/edits.js';
import { Progress, usePages } from '../parts/pages.js';
import { Facts, numberOf, Problem } from '../parts/words.js';

const SAMPLE = `cases:
- name: A greeting is fine
  text: Hello.
  expect: {flagged: false}
`;
/** More do not fit into what is sent at most. */
const MOST_BYTES = 200_000;

interface Sum {
  total: number;
  cases: readonly PolicyTestCase[];
}

export function Cases({ api, draft }: { api: Api; draft: EditedDraft }): VNode {
  const [text, setText] = useState(SAMPLE);
  const [problem, setProblem] = useState('');
  const pages = usePages<Sum, number>();
  const refuse = (error: Error): void => setProblem(error.message);
  const begin = (): void => {
    try {
      const body = { ...editedIn(draft), cases: text };
      setProblem('');
      pages.begin(async (sum, start) => {
        const { total, cases, next } = await api.post<PolicyTestResult>('/api/try/test', {
          ...body,
          start: start ?? 0,
        });
        return { sum: { total, cases: [...(sum?.cases ?? []), ...cases] }, next };
      });
    } catch (error) {
      refuse(error as Error);
    }
  };
  const { sum } = pages;
  return (
    <section aria-label="Tests">
      <h2>Test cases</h2>
      <p>
        A file of cases, as <code>weir test</code> reads it. Cases that name no place are checked where you try.
      </p>
      <label class="block">
        A file of cases
        <input
          type="file"
          accept=".yaml,.yml,.json"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            if (!file) return;
            if (file.size > MOST_BYTES)
              refuse(new Error(`The file has ${file.size} bytes; at most ${MOST_BYTES} fit.`));
            else file.text().then(setText, refuse);
          }}
        />
      </label>
      <label class="block">
        Cases, YAML or JSON
        <textarea
          rows={8}
          class="code"
          value={text}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Progress name="Run tests" pages={pages} done={sum?.cases.length ?? 0} total={sum?.total ?? 0} begin={begin} />
      <Problem text={problem || pages.problem} />
      {sum && <Results cases={sum.cases} />}
    </section>
  );
}

const ORDER = ['failed', 'not_run', 'passed'] as const satisfies readonly PolicyTestCase['outcome'][];
const WORDS = { failed: 'failed', not_run: 'not run', passed: 'passed' };

function Results({ cases }: { cases: readonly PolicyTestCase[] }): VNode {
  const of = (outcome: PolicyTestCase['outcome']): PolicyTestCase[] => cases.filter((one) => one.outcome === outcome);
  const sorted = ORDER.flatMap(of);
  return (
    <>
      <Facts of={ORDER.map((outcome) => [WORDS[outcome], numberOf(of(outcome).length)] as const)} />
      <ul class="cases">
        {sorted.map(({ name, line, outcome, why }) => (
          <li key={line} class={outcome}>
            <strong>{WORDS[outcome]}</strong> {name} <small>line {line}</small>
            {why.length > 0 && <pre>{why.join('\n')}</pre>}
          </li>
        ))}
      </ul>
    </>
  );
}
