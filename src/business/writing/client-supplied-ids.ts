import { randomUUID } from 'node:crypto';

/**
 * Whether upstreams keep the ids that creates carry, for the whole process: proven for each set of each company, because
 * extensions are installed by company. Only a create whose id is kept may be sent twice.
 */
export interface ClientSuppliedIds {
  /** The id for a create of this set: the caller's, else a generated one unless the set does not keep ids, else null. */
  chooseId(set: CompanySet, asked: string | null): string | null;
  /** True once a response to a create of this set had the id that was sent, and none had another. */
  isTrusted(set: CompanySet): boolean;
  /** Call it when a create was carried out. `sent` is the id that it carried, `given` the record's. */
  recordCreated(set: CompanySet, sent: string, given: string): void;
  /** True while it is neither proven that a set keeps ids nor that it does not. */
  isUnproven(set: CompanySet): boolean;
  /** Call it when a create was rejected with its id, and carried out without. */
  recordRejected(set: CompanySet): void;
}

/** An entity set of one company. */
export interface CompanySet {
  readonly companyId: string;
  readonly route: string;
  readonly entitySet: string;
}

/** `onUntrusted` is called once for each set of a company that does not keep ids. */
export function createClientSuppliedIds(
  mode: 'auto' | 'off',
  onUntrusted: (set: CompanySet) => void,
): ClientSuppliedIds {
  // Grows with the number of companies in which records are created.
  const trust = new Map<string, boolean>();
  const keyOf = ({ companyId, route, entitySet }: CompanySet) =>
    `${companyId.toLowerCase()}/${route}/${entitySet}`;
  const distrust = (set: CompanySet) => {
    const key = keyOf(set);
    if (trust.get(key) !== false) onUntrusted(set);
    trust.set(key, false);
  };

  return {
    chooseId: (set, asked) =>
      asked ?? (mode === 'auto' && trust.get(keyOf(set)) !== false ? randomUUID() : null),
    isTrusted: (set) => mode === 'auto' && trust.get(keyOf(set)) === true,
    isUnproven: (set) => !trust.has(keyOf(set)),
    recordCreated(set, sent, given) {
      const key = keyOf(set);
      if (given !== sent) distrust(set);
      else if (!trust.has(key)) trust.set(key, true);
    },
    recordRejected: distrust,
  };
}
