/** `npm run worst`: searches for texts that are slow to evaluate, for as long as asked. */
import { parseArgs } from 'node:util';
import { textOf } from './recipes.ts';
import { MOST_TIMES, mostOf, searchWorst } from './search.ts';

const USAGE = `Usage: npm run worst [-- --minutes N] [--seed N] [--only NAME]

  --minutes  how long to search (default 5)
  --seed     which texts (default: random)
  --only     name of a plan, as a search prints it (may be repeated; default: all)

It prints the worst text of each plan as a recipe, and how many times the work of English of its length that takes. It fails where that is
more than ${MOST_TIMES} with the sample configuration and all packs.
`;

function number(text: string | undefined, fallback: number, name: string): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < 0)
    throw new Error(`--${name}: expected a number, but it is "${text}".`);
  return value;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const seed = Math.floor(number(values.seed, Math.floor(Math.random() * 2 ** 31), 'seed'));
  const end = Date.now() + number(values.minutes, 5, 'minutes') * 60_000;
  console.log(`Seed ${seed}.`);
  const found = await searchWorst({ seed, goesOn: () => Date.now() < end, only: values.only ?? [] });
  if (found.length === 0) throw new Error('--only: expected the name of a plan.');
  for (const { name, times, recipe, tried, refused } of found.sort((a, b) => b.times - a.times)) {
    console.log(
      `${times.toFixed(1)} times English: ${name} (${tried} texts, ${refused} of them not evaluated in full)`,
    );
    console.log(`  ${JSON.stringify(textOf(recipe, 60))}`);
    console.log(`  ${JSON.stringify(recipe)}`);
  }
  const over = found.filter(({ name, times }) => times > mostOf(name));
  if (over.length === 0) return;
  const limits = over.map(({ name }) => `${name} (at most ${mostOf(name)})`).join(', ');
  throw new Error(`A text takes too many times the work of English: ${limits}.`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
