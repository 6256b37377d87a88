// A new table takes as long as so many entries of it.
const fewest = 64;

/**
 * What comes and goes, by name. A `Map` that entries come to and leave makes itself a new table again and again, each old
 * one points to the next, and what they held lives on until all of the memory is collected: before it does, this one
 * moves what is there into a new `Map`.
 */
export class Passing<Value> {
  #byName = new Map<string, Value>();
  #come = 0;

  get(name: string): Value | undefined {
    return this.#byName.get(name);
  }

  set(name: string, value: Value): void {
    this.#come += 1;
    if (this.#come > Math.max(fewest, this.#byName.size)) {
      this.#byName = new Map(this.#byName);
      this.#come = 0;
    }
    this.#byName.set(name, value);
  }

  delete(name: string): void {
    this.#byName.delete(name);
  }
}
