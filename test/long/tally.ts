import type { Subject } from './subjects.ts';

const columns = ['made', 'STALE_RECORD', 'refused', 'failed', 'unknown'] as const;

/** A table of how often each mutation was reported how; entries of batches count one by one. */
export function tally(title: string, subjects: readonly Subject[]): string {
  const counts = new Map<string, Record<(typeof columns)[number], number>>();
  for (const { mutation, report } of subjects.flatMap(({ attempts }) => attempts)) {
    const row = counts.get(mutation) ?? { made: 0, STALE_RECORD: 0, refused: 0, failed: 0, unknown: 0 };
    counts.set(mutation, row);
    row[report.code === 'STALE_RECORD' ? 'STALE_RECORD' : report.outcome] += 1;
  }
  const rows = [...counts].sort(([a], [b]) => a.localeCompare(b));
  const lines = rows.map(([mutation, row]) => [mutation, ...columns.map((column) => String(row[column]))]);
  return [[title, ...columns], ...lines]
    .map(([first = '', ...rest]) => first.padEnd(22) + rest.map((cell) => cell.padStart(13)).join(''))
    .join('\n');
}
