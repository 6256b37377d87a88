import { Refusal } from '../refusal.ts';
import type { Behaviour, NamedBehaviour } from './behaviour.ts';
import { usual } from './behaviour.ts';
import { namedAnswers } from './named-answers.ts';
import { namedProgress } from './named-progress.ts';
import type { Operation } from './operations.ts';

/** Where an instance is, as the path of a request names it. */
export interface InstanceAddress {
  readonly subscription: string;
  readonly group: string;
  readonly namespace: string;
  readonly segment: string;
  readonly virtualInstance: string;
  readonly name: string;
}

export interface Instance {
  readonly name: string;
  readonly behaviour: Behaviour;
  /** What was done with it last; absent when nothing was. */
  operation?: Operation;
}

/** The instances of a sandbox by name, in the order they are listed. */
export type Instances = Map<string, Instance>;

/** The one place of the sandbox that has instances. */
export const place = {
  subscription: '11111111-2222-4333-8444-555555555555',
  group: 'rg-north',
  virtualInstance: 'N01',
} as const;

/** A stopped instance may be stopped again, and a running one started; each goes the same way. */
const named: Readonly<Record<string, NamedBehaviour>> = { ...namedAnswers, ...namedProgress };

/** What each instance plays, for the index of the sandbox. */
export const instanceNotes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(named).map(([name, [about]]) => [name, about]),
);

export function createInstances(): Instances {
  return new Map(
    Object.entries(named).map(([name, [, differences]]) => [
      name,
      { name, behaviour: { ...usual, ...differences } },
    ]),
  );
}

/** Checks all of an address but its last name; the resource group without regard to case, all else exactly (B, parameters). */
export function checkPlace({ subscription, group, virtualInstance }: Omit<InstanceAddress, 'name'>): void {
  if (subscription.toLowerCase() !== place.subscription) throw notFound('Subscription', subscription);
  if (group.toLowerCase() !== place.group) throw notFound('ResourceGroup', group);
  if (virtualInstance !== place.virtualInstance) throw notFound('ParentResource', virtualInstance);
}

/** Finds the instance a path names. */
export function findInstance(instances: Instances, address: InstanceAddress): Instance {
  checkPlace(address);
  const instance = instances.get(address.name);
  if (!instance) throw notFound('Resource', address.name);
  return instance;
}

/** The fully qualified id of an instance. */
export function idOfInstance(instance: InstanceAddress): string {
  const { subscription, group, namespace, segment, virtualInstance, name } = instance;
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/${namespace}/${segment}/${virtualInstance}/applicationInstances/${name}`;
}

/** Machine an instance is on. */
export function machineOf({ name, behaviour }: Instance): string {
  return behaviour.machine ?? `vm-${name}`;
}

function notFound(kind: string, name: string): Refusal {
  return new Refusal(404, `${kind}NotFound`, `The ${kind} '${name}' could not be found.`, { target: name });
}
