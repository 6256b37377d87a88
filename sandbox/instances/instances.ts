import type { Behaviour, NamedBehaviour } from './behaviour.ts';
import { defaultBehaviour } from './behaviour.ts';
import type { InstanceAddress } from './instance-address.ts';
import { checkLocation, notFoundError } from './instance-address.ts';
import { namedAnswers } from './named-answers.ts';
import { namedProgress } from './named-progress.ts';
import type { InstanceOperation } from './operation.ts';

export interface Instance {
  readonly name: string;
  readonly behaviour: Behaviour;
  /** The last operation, if any. */
  operation?: InstanceOperation;
}

/** The instances by name, in the order of the list. */
export type Instances = Map<string, Instance>;

/** Stopped instances can be stopped again, and running ones started. */
const namedBehaviours: Readonly<Record<string, NamedBehaviour>> = { ...namedAnswers, ...namedProgress };

/** What each instance is for, by name. */
export const instanceDescriptions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(namedBehaviours).map(([name, [about]]) => [name, about]),
);

export function createInstances(): Instances {
  return new Map(
    Object.entries(namedBehaviours).map(([name, [, differences]]) => [
      name,
      { name, behaviour: { ...defaultBehaviour, ...differences } },
    ]),
  );
}

/** Finds the instance of an address. Throws an `ApiError` (404) when there is none. */
export function findInstance(instances: Instances, address: InstanceAddress): Instance {
  checkLocation(address);
  const instance = instances.get(address.name);
  if (!instance) throw notFoundError('Resource', address.name);
  return instance;
}

export function machineName({ name, behaviour }: Instance): string {
  return behaviour.machine ?? `vm-${name}`;
}
