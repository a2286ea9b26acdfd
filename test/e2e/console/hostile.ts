/** Answers of the server as they would be if whoever fills a field meant harm. */
import type { Page } from 'playwright-core';

interface HostileAnswers {
  /** which answers */
  path: string;
  hostile: string;
  /** fields that they have, too */
  more?: Readonly<Record<string, unknown>>;
}

/** Every text of these answers has `hostile` at its end while `run` runs, but for times and what pages go on from. */
export async function withHostileAnswers(
  page: Page,
  { path, hostile, more = {} }: HostileAnswers,
  run: () => Promise<void>,
): Promise<void> {
  const taint = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string') return /^at$|_at$|^next$/.test(name) ? value : `${value} ${hostile}`;
    if (Array.isArray(value)) return value.map((one) => taint(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, taint(one, key)]));
  };
  await page.route(path, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: taint({ ...(await response.json()), ...more }) });
  });
  try {
    await run();
  } finally {
    await page.unroute(path);
  }
}
