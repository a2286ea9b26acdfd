/** The table of settings in the documents, made of their definitions. */
import { DEFINITIONS } from '#weir/shared/settings';

export const SETTINGS_PAGE = 'docs/operations/settings.md';
const HEADER = '| Variable | Default | Meaning |\n|---|---|---|\n';

/** The page: what is written by hand, and behind it the table. */
export function renderSettings(page: string): string {
  const rows = Object.values(DEFINITIONS).map((setting) => {
    const range = setting.kind === 'integer' ? ` (${setting.min} to ${setting.max})` : '';
    return `| \`${setting.variable}\` | \`${setting.default}\` | ${setting.help}${range} |\n`;
  });
  return `${page.slice(0, page.indexOf(HEADER))}${HEADER}${rows.join('')}`;
}
