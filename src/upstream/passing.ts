// A new table takes as long as so many entries of it.
const fewest = 64;

/**
 * What comes and goes, by name. A `Map` that entries come to and leave makes itself a new table again and again, each old
 * one points to the next, and what they held lives on until all of the memory is collected: before it does, this one
 * moves what is there into a new `Map`. An old table that was among the old things by then still holds what was on its
 * way, so what is held is only a place, and who leaves takes what is in it along.
 */
export class Passing<Value> {
  #byName = new Map<string, Place<Value>>();
  #come = 0;

  get(name: string): Value | undefined {
    return this.#byName.get(name)?.value;
  }

  set(name: string, value: Value): void {
    this.#come += 1;
    if (this.#come > Math.max(fewest, this.#byName.size)) {
      this.#byName = new Map(this.#byName);
      this.#come = 0;
    }
    this.#byName.set(name, new Place(value));
  }

  delete(name: string): void {
    const place = this.#byName.get(name);
    if (!place) return;
    place.value = undefined;
    this.#byName.delete(name);
  }
}

class Place<Value> {
  value: Value | undefined;

  constructor(value: Value) {
    this.value = value;
  }
}
