import { readFileSync, writeFileSync } from 'node:fs';

/** Replaces a table in docs/performance.md. */
export function keepTable(name, table) {
  const page = new URL('../docs/performance.md', import.meta.url);
  const kept = readFileSync(page, 'utf8').replace(
    new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- end -->)`),
    (_all, start, end) => `${start}${table}\n${end}`,
  );
  writeFileSync(page, kept);
}

/** A table of results: name, figure and limit of each. */
export function figuresTable(rows) {
  const lines = rows.map((row) => `| ${row.join(' | ')} |`);
  return ['| measured | figure | bar |', '|---|---:|---:|', ...lines].join('\n');
}
