import type { Behaviour, NamedBehaviour } from './behaviour.ts';
import { defaultBehaviour } from './behaviour.ts';
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

export function machineName({ name, behaviour }: Instance): string {
  return behaviour.machine ?? `vm-${name}`;
}
