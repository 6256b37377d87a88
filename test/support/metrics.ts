/** One line of `/metrics`. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Metrics as a page told them. */
export interface MetricsPage {
  readonly samples: readonly Sample[];
  /** The kind of each metric, by its name. */
  readonly types: ReadonlyMap<string, string>;
  /** What each is. */
  readonly helps: ReadonlyMap<string, string>;
  /** The sum over all samples of that name which have these labels, among others. */
  of(name: string, labels?: Readonly<Record<string, string>>): number;
}

/** Reads the text format of Prometheus; throws at a line that is none of it. */
export function readMetrics(text: string): MetricsPage {
  const types = new Map<string, string>();
  const helps = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, helped, help] = /^# HELP (\w+) (.*)$/.exec(line) ?? [];
    if (helped) {
      helps.set(helped, help ?? '');
      continue;
    }
    const [, typed, type] = /^# TYPE (\w+) (counter|gauge|histogram|summary)$/.exec(line) ?? [];
    if (typed && type) {
      if (types.has(typed)) throw new Error(`${typed} is told twice`);
      types.set(typed, type);
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
    types,
    helps,
    of: (name, labels = {}) =>
      samples
        .filter(
          (each) =>
            each.name === name &&
            Object.entries(labels).every(([label, held]) => each.labels[label] === held),
        )
        .reduce((sum, { value }) => sum + value, 0),
  };
}
