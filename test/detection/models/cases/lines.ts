/** Texts of cases, one on a line. A `\n` that is written as two characters is a new line within a text. */
export const lines = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().replaceAll(String.raw`\n`, '\n'));
