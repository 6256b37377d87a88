/** What `Map`, `WeakMap` and `LRUCache` have in common. */
interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/**
 * Returns the value of a key, and computes it the first time: `Map.prototype.getOrInsertComputed` of ECMAScript for
 * any cache. Of a promise the failure is kept, too.
 */
export function getOrCompute<Key, Value extends {}>(
  cache: Cache<Key, Value>,
  key: Key,
  compute: () => Value,
): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const value = compute();
  cache.set(key, value);
  return value;
}
