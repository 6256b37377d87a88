/** The interface that `Map`, `WeakMap` and `LRUCache` share. */
interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/**
 * Returns the value of a key; computes it the first time. Like `Map.prototype.getOrInsertComputed` of ECMAScript, for any
 * cache. A rejected promise stays in the cache.
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
