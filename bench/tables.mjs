import { readFileSync, writeFileSync } from 'node:fs';

/** Prints a table, and puts it between its markers in docs/performance.md unless `isKept` is false. The first column is text. */
export function writeTable(name, tables, isKept = true) {
  const text = tables.map(([titles, rows]) => tableOf(titles, rows)).join('\n\n');
  process.stdout.write(`${text}\n`);
  if (!isKept) return;
  const page = new URL('../docs/performance.md', import.meta.url);
  const marked = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- end -->)`);
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(marked, (_all, start, end) => `${start}${text}\n${end}`),
  );
}

/** The titles of a table with a name, a figure and a limit in each row. */
export const figures = ['measured', 'figure', 'bar'];

function tableOf(titles, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(titles), `|---|${'---:|'.repeat(titles.length - 1)}`, ...rows.map(line)].join('\n');
}
