/** The questions of the documents with their SQL. They ask for the team `acme`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../shared/paths.js';

export const QUESTIONS_PAGE = 'docs/history/questions.md';

const QUESTION = /\*\*([^*]+)\*\*(?:(?!\*\*|```)[\s\S])*```sql\n([\s\S]*?)```/g;

/** In the order of the page; a question without its marks. */
export function questionsOf(): { question: string; sql: string }[] {
  const text = readFileSync(join(packageRoot, QUESTIONS_PAGE), 'utf8');
  return [...text.matchAll(QUESTION)].map(([, question, sql]) => ({
    question: question!.replaceAll('`', ''),
    sql: sql!,
  }));
}
