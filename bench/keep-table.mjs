import { readFileSync, writeFileSync } from 'node:fs';

/** Puts a table into docs/performance.md in the place of the last one. */
export function keepTable(name, table) {
  const page = new URL('../docs/performance.md', import.meta.url);
  const kept = readFileSync(page, 'utf8').replace(
    new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- end -->)`),
    (_all, start, end) => `${start}${table}\n${end}`,
  );
  writeFileSync(page, kept);
}

/** A table of what was measured: name, figure and bar of each. */
export function figuresTable(rows) {
  const lines = rows.map((row) => `| ${row.join(' | ')} |`);
  return ['| measured | figure | bar |', '|---|---:|---:|', ...lines].join('\n');
}
