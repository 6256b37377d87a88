// Puts a table into docs/performance.md in the place of the last one.
import { readFileSync, writeFileSync } from 'node:fs';

export function keepTable(name, table) {
  const page = new URL('../docs/performance.md', import.meta.url);
  const kept = readFileSync(page, 'utf8').replace(
    new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- end -->)`),
    (_all, start, end) => `${start}${table}\n${end}`,
  );
  writeFileSync(page, kept);
}
