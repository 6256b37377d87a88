import { isDeepStrictEqual } from 'node:util';

/** A value that is replaced as a whole when the settings are reloaded. What reads it once keeps what it began with. */
export interface Reloadable<Value> {
  readonly current: Value;
}

// What follows from each value. Plain properties: a getter would compute at each read whether anything was replaced.
const dependents = new WeakMap<object, (() => void)[]>();

/**
 * What follows from a value, computed at once and with each replacement. An equal result stays the same object, and what
 * follows from it is not computed again. `compute` must not throw.
 */
export function derive<Value, Result>(
  source: Reloadable<Value>,
  compute: (value: Value) => Result,
): Reloadable<Result> {
  const derived = { current: compute(source.current) };
  const update = () => {
    const next = compute(source.current);
    if (!isDeepStrictEqual(next, derived.current)) replace(derived, next);
  };
  dependents.set(source, [...(dependents.get(source) ?? []), update]);
  return derived;
}

/** Replaces a value, and in the same turn of the event loop everything that follows from it. */
export function replace<Value>(target: { current: Value }, value: Value): void {
  target.current = value;
  for (const update of dependents.get(target) ?? []) update();
}
