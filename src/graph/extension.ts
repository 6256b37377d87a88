/** Resolves a field in an operator's extension. `record` has `id`, and the columns of `@reads`. */
export type ExtensionResolver = (
  // biome-ignore lint/suspicious/noExplicitAny: an extension knows the columns and the arguments that it has declared.
  record: any,
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  args: any,
  context: ExtensionContext,
) => unknown;

/** What an extension can use in one operation. */
export interface ExtensionContext {
  readonly business: {
    /**
     * Reads JSON of area A as the caller, within the deadline of the operation: `` get`/api/v2.0/companies(${id})` ``. Each
     * value is encoded, and its quotation marks are doubled. `{ number: ['A', 'B'] }` becomes the comparisons of a `$filter`
     * with one of these texts.
     */
    get(strings: TemplateStringsArray, ...values: readonly PathValue[]): Promise<unknown>;
  };
  /**
   * Loads values by key. Keys that are requested together are passed to one call of `batch`, at most 50 to each. `batch` returns
   * the values in the order of the keys.
   */
  loader<Key, Value>(
    name: string,
    batch: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>,
  ): { load(key: Key): Promise<Value> };
}

type PathValue = string | number | boolean | Readonly<Record<string, readonly string[]>>;
