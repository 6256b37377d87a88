import type { Metric, Registry } from 'prom-client';

type Labels<Name extends string> = Readonly<Record<Name, string>>;

interface Sample {
  readonly metricName?: string;
  readonly labels: object;
  readonly value: number;
}

export interface Counter {
  (by?: number): void;
  /** Exports it no more. */
  remove(): void;
}

/** Creates metrics. A counter or histogram is exported, starting at 0, once it was called with its labels. */
export interface Instruments {
  counter<Name extends string = never>(name: string, help: string): (labels: Labels<Name>) => Counter;
  histogram<Name extends string>(
    name: string,
    help: string,
    bounds: readonly number[],
  ): (labels: Labels<Name>) => (value: number) => void;
  /** `read` runs at each scrape. */
  gauge(name: string, help: string, read: () => readonly Sample[]): void;
}

/**
 * Counts in plain numbers and exports them through prom-client at each scrape. prom-client's own counters build a string
 * of their labels and look it up for every increment, which is far slower (docs/decisions/0023-observation.md).
 */
export function createInstruments(registry: Registry): Instruments {
  const register = (type: string, name: string, help: string, read: () => readonly Sample[]) =>
    registry.registerMetric({
      name,
      type,
      get: async () => ({ name, help, type, values: read() }),
    } as unknown as Metric);

  return {
    gauge: (name, help, read) => register('gauge', name, help, read),

    counter(name, help) {
      const children = new Set<{ readonly labels: object; value: number }>();
      register('counter', name, help, () => [...children]);
      return (labels) => {
        const child = { labels, value: 0 };
        children.add(child);
        const count = (by = 1) => {
          child.value += by;
        };
        return Object.assign(count, { remove: () => void children.delete(child) });
      };
    },

    histogram(name, help, bounds) {
      const children: HistogramSeries[] = [];
      register('histogram', name, help, () => children.flatMap((child) => toSamples(name, bounds, child)));
      return (labels) => {
        const child = { labels, counts: [...bounds.map(() => 0), 0], sum: 0 };
        const { counts } = child;
        children.push(child);
        return (value) => {
          let at = 0;
          while (at < bounds.length && value > (bounds[at] as number)) at += 1;
          counts[at] = (counts[at] as number) + 1;
          child.sum += value;
        };
      };
    },
  };
}

interface HistogramSeries {
  readonly labels: object;
  /** Values per bucket, not cumulative; the last bucket is above all bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
}

function toSamples(
  name: string,
  bounds: readonly number[],
  { labels, counts, sum }: HistogramSeries,
): Sample[] {
  let count = 0;
  const buckets = counts.map((within, at): Sample => {
    count += within;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? '+Inf' }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** Caches one value per name. Those of `names` are created at once, others on first use. */
export function createCachedByName<Name extends string, Child>(
  names: readonly NoInfer<Name>[],
  make: (name: Name) => Child,
): (name: Name) => Child {
  const known = new Map(names.map((name) => [name, make(name)]));
  return (name) => {
    const before = known.get(name);
    if (before) return before;
    const child = make(name);
    known.set(name, child);
    return child;
  };
}
