/**
 * What comes and goes, by name. No `Map`: one that others have left makes itself a new table again and again, each old one
 * points to the next, and what they held lives on until all of the memory is collected.
 */
export class Passing<Value> {
  readonly #byName: Record<string, Value> = Object.create(null);

  get(name: string): Value | undefined {
    return this.#byName[name];
  }

  set(name: string, value: Value): void {
    this.#byName[name] = value;
  }

  delete(name: string): void {
    delete this.#byName[name];
  }
}
