import type { Behaviour } from './behaviour.ts';
import { defaultBehaviour } from './behaviour.ts';
import { namedInstances } from './named-instances.ts';
import type { InstanceOperation } from './operation.ts';

export interface Instance {
  readonly name: string;
  readonly behaviour: Behaviour;
  /** The last operation, if any. */
  operation?: InstanceOperation;
}

/** The instances by name, in the order of the list. */
export type Instances = Map<string, Instance>;

/** What each instance is for, by name. */
export const instanceDescriptions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(namedInstances).map(([name, [about]]) => [name, about]),
);

export function createInstances(): Instances {
  return new Map(
    Object.entries(namedInstances).map(([name, [, differences]]) => [
      name,
      { name, behaviour: { ...defaultBehaviour, ...differences } },
    ]),
  );
}

export function machineName({ name, behaviour }: Instance): string {
  return behaviour.machine ?? `vm-${name}`;
}
