/** Results as JUnit XML, which build servers read. */
import type { Configuration } from '../../../shared/configuration/configuration.js';
import { explained } from '../../../workers/evaluator/cases/explain.js';
import { type CaseResult, type FileResult, placeOf } from './report.js';

export function junitOf(files: readonly FileResult[], configuration: Configuration): string {
  const all = files.flatMap(({ results }) => results);
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites name="weir test" ${countsOf(all)}>`];
  for (const { file, results } of files) {
    lines.push(`  <testsuite name="${escaped(file)}" ${countsOf(results)}>`);
    for (const result of results) lines.push(...caseLines(file, result, configuration));
    lines.push('  </testsuite>');
  }
  lines.push('</testsuites>', '');
  return lines.join('\n');
}

function caseLines(file: string, result: CaseResult, configuration: Configuration): string[] {
  const { of, differences, ms } = result;
  const name = `name="${escaped(of.name)}" classname="${escaped(file)}"`;
  const head = `    <testcase ${name} file="${escaped(file)}" line="${of.position.line}" time="${seconds(ms)}"`;
  if (differences.length === 0) return [`${head}/>`];
  const explanation = explained(result, configuration);
  const text = [placeOf(file, of), ...explanation].join('\n');
  return [
    `${head}>`,
    `      <failure message="${escaped(explanation[0] ?? '')}" type="verdict">${escaped(text)}</failure>`,
    '    </testcase>',
  ];
}

function countsOf(results: readonly CaseResult[]): string {
  const failures = results.filter(({ differences }) => differences.length > 0).length;
  const ms = results.reduce((sum, result) => sum + result.ms, 0);
  return `tests="${results.length}" failures="${failures}" errors="0" skipped="0" time="${seconds(ms)}"`;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(6);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** Whether XML 1.0 can have a character at all, in whatever form. */
const isXml = (code: number): boolean =>
  code === 0x09 ||
  code === 0x0a ||
  code === 0x0d ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  code >= 0x10000;

const escaped = (text: string): string =>
  [...text].map((each) => (isXml(each.codePointAt(0)!) ? (ENTITIES[each] ?? each) : '\ufffd')).join('');
