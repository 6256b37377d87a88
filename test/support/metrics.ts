/** Metrics as a page told them. */
export type MetricsPage = ReturnType<typeof readMetrics>;

type Labels = Readonly<Record<string, string>>;

/** Reads the text format of Prometheus; throws at a line that is none of it. */
export function readMetrics(text: string) {
  const types = new Map<string, string>();
  const helps = new Map<string, string>();
  const samples: { readonly name: string; readonly labels: Labels; readonly value: number }[] = [];
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, keyword, about = '', told = ''] = /^# (HELP|TYPE) (\w+) (.*)$/.exec(line) ?? [];
    if (keyword) {
      if (keyword === 'TYPE' && types.has(about)) throw new Error(`${about} is told twice`);
      (keyword === 'TYPE' ? types : helps).set(about, told);
      continue;
    }
    const [, name, inBraces = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || !/^(-?[\d.]+(e[+-]\d+)?|[+-]Inf|NaN)$/i.test(value))
      throw new Error(`This is no metric: ${line}`);
    const labels = Object.fromEntries(
      [...inBraces.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', held = '']) => [label, held]),
    );
    samples.push({ name, labels, value: Number(value) });
  }
  return {
    samples,
    /** The kind of each metric, by its name. */
    types,
    /** What each is. */
    helps,
    /** The sum over all samples of that name which have these labels, among others. */
    of: (name: string, labels: Labels = {}): number =>
      samples
        .filter((each) => each.name === name)
        .filter((each) => Object.entries(labels).every(([label, held]) => each.labels[label] === held))
        .reduce((sum, { value }) => sum + value, 0),
  };
}
