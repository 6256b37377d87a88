import type { Metric, Registry } from 'prom-client';

type Labels<Name extends string> = Readonly<Record<Name, string>>;

interface Value {
  readonly metricName?: string;
  readonly labels: object;
  readonly value: number;
}

/** Metrics by their labels. A counter or histogram is told from the moment its labels are named, from nought on. */
export interface Tallies {
  counter<Name extends string = never>(name: string, help: string): (labels: Labels<Name>) => () => void;
  histogram<Name extends string>(
    name: string,
    help: string,
    bounds: readonly number[],
  ): (labels: Labels<Name>) => (value: number) => void;
  /** What is looked at when it is asked for. */
  gauge(name: string, help: string, read: () => readonly Value[]): void;
}

/**
 * Counts in plain numbers, and hands them to prom-client when they are read. Its own counters make a text of their
 * labels and look it up at every count, which takes far longer than to count (docs/decisions/0023-observation.md).
 */
export function createTallies(registry: Registry): Tallies {
  const register = (type: string, name: string, help: string, read: () => readonly Value[]) =>
    registry.registerMetric({
      name,
      type,
      get: async () => ({ name, help, type, values: read() }),
    } as unknown as Metric);

  return {
    gauge: (name, help, read) => register('gauge', name, help, read),

    counter(name, help) {
      const children: { readonly labels: object; value: number }[] = [];
      register('counter', name, help, () => children);
      return (labels) => {
        const child = { labels, value: 0 };
        children.push(child);
        return () => {
          child.value += 1;
        };
      };
    },

    histogram(name, help, bounds) {
      const children: Child[] = [];
      register('histogram', name, help, () => children.flatMap((child) => valuesOf(name, bounds, child)));
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

interface Child {
  readonly labels: object;
  /** How many values were within each bound and above the one before; the last, above all of them. */
  readonly counts: readonly number[];
  readonly sum: number;
}

function valuesOf(name: string, bounds: readonly number[], { labels, counts, sum }: Child): Value[] {
  let count = 0;
  const buckets = counts.map((within, at): Value => {
    count += within;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? '+Inf' }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** One child for each name of a closed list: those named here at once, others when they are first met. */
export function byName<Name extends string, Child>(
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
