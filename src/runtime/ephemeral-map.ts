// Fewer insertions than this are not worth a new table.
const minRebuildCount = 64;

/**
 * A map for short-lived entries. A `Map` whose entries come and go replaces its hash table again and again; each old table
 * points to the next, so that deleted entries stay reachable until a full garbage collection. This map copies its entries to
 * a new `Map` before the table is replaced. A table that has reached the old generation may still hold an entry, so the
 * table holds a slot only, and `delete` clears the slot.
 */
export class EphemeralMap<Value> {
  #slots = new Map<string, Slot<Value>>();
  #insertions = 0;

  get(name: string): Value | undefined {
    return this.#slots.get(name)?.value;
  }

  set(name: string, value: Value): void {
    this.#insertions += 1;
    if (this.#insertions > Math.max(minRebuildCount, this.#slots.size)) {
      this.#slots = new Map(this.#slots);
      this.#insertions = 0;
    }
    this.#slots.set(name, new Slot(value));
  }

  delete(name: string): void {
    const slot = this.#slots.get(name);
    if (!slot) return;
    slot.value = undefined;
    this.#slots.delete(name);
  }
}

class Slot<Value> {
  value: Value | undefined;

  constructor(value: Value) {
    this.value = value;
  }
}
