import { randomUUID } from 'node:crypto';

/**
 * What is known of the ids that creates carry, for the whole process: whether an upstream keeps them is proven
 * set by set, and only a create whose id is kept may be sent twice.
 */
export interface ChosenIds {
  /** The id to create a record of this set under: the caller's, else one of ours where that may help, else null. */
  idFor(entitySet: string, asked: string | null): string | null;
  /** True once a create of this set was answered with the id it was sent with, and none with another. */
  isTrusted(entitySet: string): boolean;
  /** A create was carried out. `sent` is the id it carried, `given` the one the record has. */
  learn(entitySet: string, sent: string, given: string): void;
  /** True while it is neither proven that a set keeps ids nor that it does not. */
  isUnproven(entitySet: string): boolean;
  /** A create was carried out only without its id. */
  isRefused(entitySet: string): void;
}

/** `mode` is BUSINESS_CHOSEN_IDS; `onUntrusted` is told once of every set that does not keep ids. */
export function createChosenIds(mode: 'auto' | 'off', onUntrusted: (entitySet: string) => void): ChosenIds {
  const trust = new Map<string, boolean>();
  const distrust = (entitySet: string) => {
    if (trust.get(entitySet) !== false) onUntrusted(entitySet);
    trust.set(entitySet, false);
  };

  return {
    idFor: (entitySet, asked) =>
      asked ?? (mode === 'auto' && trust.get(entitySet) !== false ? randomUUID() : null),
    isTrusted: (entitySet) => mode === 'auto' && trust.get(entitySet) === true,
    isUnproven: (entitySet) => !trust.has(entitySet),
    learn(entitySet, sent, given) {
      if (given !== sent) distrust(entitySet);
      else if (!trust.has(entitySet)) trust.set(entitySet, true);
    },
    isRefused: distrust,
  };
}
