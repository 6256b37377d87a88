import { randomUUID } from 'node:crypto';

/**
 * Tracks for the whole process which entity sets keep client-supplied ids. Tracked by company, because extensions are
 * installed by company. Only a create in a set that keeps ids may be sent twice.
 */
export interface ClientSuppliedIds {
  /**
   * Returns the id to send with a create: the caller's; otherwise a generated one, or null with mode `off` or if the set does
   * not keep ids.
   */
  chooseId(set: CompanySet, requested: string | null): string | null;
  /** True if creates in this set returned the id that was sent, and none returned another. */
  isTrusted(set: CompanySet): boolean;
  /** Call it after a successful create. `sent` is the id of the request, `received` that of the response. */
  recordCreated(set: CompanySet, sent: string, received: string): void;
  /** True until a create shows whether the set keeps ids. */
  isUnproven(set: CompanySet): boolean;
  /** Call it after a create was rejected with an id and carried out without one. */
  recordRejected(set: CompanySet): void;
}

/** An entity set of one company. */
export interface CompanySet {
  readonly companyId: string;
  readonly route: string;
  readonly entitySet: string;
}

/** `onUntrusted` is called once for each set of each company that does not keep ids. */
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
    chooseId: (set, requested) =>
      requested ?? (mode === 'auto' && trust.get(keyOf(set)) !== false ? randomUUID() : null),
    isTrusted: (set) => mode === 'auto' && trust.get(keyOf(set)) === true,
    isUnproven: (set) => !trust.has(keyOf(set)),
    recordCreated(set, sent, received) {
      const key = keyOf(set);
      if (received !== sent) distrust(set);
      else if (!trust.has(key)) trust.set(key, true);
    },
    recordRejected: distrust,
  };
}
