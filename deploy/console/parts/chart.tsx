/** Bars over time. Each leads to its items; the same figures are in a table for those who do not see them. */
import type { VNode } from 'preact';
import type { FigureStep } from '../../../shared/api/history.js';
import { Columns, numberOf, Scroll, shortTime } from './words.js';

const WIDTH = 1000;
const HEIGHT = 180;
const GAP = 0.15;

interface ChartProps {
  steps: readonly FigureStep[];
  /** where a bar leads */
  linkOf(step: FigureStep): string;
}

export function Chart({ steps, linkOf }: ChartProps): VNode {
  const most = Math.max(1, ...steps.map(({ flagged, not_evaluated }) => Math.max(flagged, not_evaluated)));
  const wide = WIDTH / Math.max(1, steps.length);
  const heightOf = (value: number): number => (value === 0 ? 0 : Math.max(2, (HEIGHT * value) / most));
  const sum = (of: 'flagged' | 'not_evaluated'): number => steps.reduce((all, step) => all + step[of], 0);
  const said = `${numberOf(sum('flagged'))} items flagged and ${numberOf(sum('not_evaluated'))} not evaluated in ${steps.length} steps; at most ${numberOf(most)} in one`;
  return (
    <figure class="chart">
      <p class="unseen">{said}</p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {steps.map((step, i) => (
          <a key={step.at} href={linkOf(step)} tabindex={-1}>
            <title>{`${shortTime(step.at)}: ${numberOf(step.flagged)} of ${numberOf(step.checks)} flagged, ${numberOf(step.not_evaluated)} not evaluated`}</title>
            <rect class="hit" x={i * wide} y={0} width={wide} height={HEIGHT} />
            <rect
              class="flagged"
              x={(i + GAP) * wide}
              y={HEIGHT - heightOf(step.flagged)}
              width={wide * (1 - 2 * GAP)}
              height={heightOf(step.flagged)}
            />
            <rect
              class="unknown"
              x={(i + GAP) * wide}
              y={HEIGHT - heightOf(step.not_evaluated)}
              width={(wide * (1 - 2 * GAP)) / 3}
              height={heightOf(step.not_evaluated)}
            />
          </a>
        ))}
      </svg>
      <figcaption>
        <span>{steps[0] && shortTime(steps[0].at)}</span>
        <span>
          <span class="key flagged" /> flagged <span class="key unknown" /> not evaluated, at most {numberOf(most)} a
          step
        </span>
        <span>{steps.length > 0 && shortTime(steps.at(-1)!.at)}</span>
      </figcaption>
      <details>
        <summary>As a table</summary>
        <Scroll label="Figures by step">
          <table>
            <Columns names={['From', 'Checks', 'Flagged', 'Not evaluated', 'p50', 'p99']} />
            <tbody>
              {steps
                .filter(({ checks }) => checks > 0)
                .map((step) => (
                  <tr key={step.at}>
                    <th scope="row">
                      <a href={linkOf(step)}>{shortTime(step.at)}</a>
                    </th>
                    <td>{numberOf(step.checks)}</td>
                    <td>{numberOf(step.flagged)}</td>
                    <td>{numberOf(step.not_evaluated)}</td>
                    <td>{step.p50_ms} ms</td>
                    <td>{step.p99_ms} ms</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </Scroll>
      </details>
    </figure>
  );
}
