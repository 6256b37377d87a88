import { Refusal } from '../refusal.ts';
import type { Script } from './operations.ts';

/** Where an instance is, as the path of a request names it. */
interface InstanceAddress {
  readonly subscription: string;
  readonly group: string;
  readonly namespace: string;
  readonly segment: string;
  readonly virtualInstance: string;
  readonly name: string;
}

/**
 * How an instance answers a stop: at once with the end (`done`), 202 with an address to follow
 * (`accepted`), 200 while still running and with an address (`tracked`), or 202 and nothing more.
 */
interface Behaviour {
  readonly answer: 'done' | 'accepted' | 'tracked' | 'unfollowed';
  readonly script: Script;
  readonly refusal?: Refusal;
}

export type Instance = InstanceAddress & Behaviour;

/** The one place of the sandbox that has instances. */
export const place = {
  subscription: '11111111-2222-4333-8444-555555555555',
  group: 'rg-north',
  virtualInstance: 'N01',
} as const;

/** Instances by name; a stopped one may be stopped again and goes the same way. */
const behaviours: Readonly<Record<string, Behaviour>> = {
  app01: { answer: 'accepted', script: {} },
  app02: { answer: 'accepted', script: {} },
  quick: { answer: 'done', script: {} },
  tracked: { answer: 'tracked', script: {} },
  silent: { answer: 'unfollowed', script: {} },
  busy: {
    answer: 'accepted',
    script: {},
    refusal: new Refusal(
      409,
      'AnotherOperationInProgress',
      'Another operation is in progress on the instance.',
      {
        target: 'busy',
        details: [
          {
            code: 'OperationInProgress',
            message: 'A start was accepted and has not finished.',
            target: 'operations',
          },
        ],
      },
    ),
  },
  fragile: {
    answer: 'accepted',
    script: {
      failsAtStep: 3,
      error: {
        code: 'StopFailed',
        message: 'The instance could not be stopped.',
        target: 'fragile',
        details: [
          {
            code: 'ProcessNotResponding',
            message: 'The process did not end within its time.',
            target: 'stop-process',
          },
        ],
        additionalInfo: [
          { type: 'Diagnostics', info: { host: 'n01-app-3', processId: 4711, signals: ['TERM', 'KILL'] } },
        ],
      },
    },
  },
};

/** Names of the instances, for the index of the sandbox. */
export const instanceNames: readonly string[] = Object.keys(behaviours);

/** Finds the instance a path names; the resource group without regard to case, all else exactly (B, parameters). */
export function findInstance(address: InstanceAddress): Instance {
  const { subscription, group, virtualInstance, name } = address;
  if (subscription.toLowerCase() !== place.subscription) throw notFound('Subscription', subscription);
  if (group.toLowerCase() !== place.group) throw notFound('ResourceGroup', group);
  if (virtualInstance !== place.virtualInstance) throw notFound('ParentResource', virtualInstance);
  const behaviour = Object.hasOwn(behaviours, name) && behaviours[name];
  if (!behaviour) throw notFound('Resource', name);
  return { ...address, ...behaviour };
}

/** The fully qualified id of an instance. */
export function idOfInstance(instance: InstanceAddress): string {
  const { subscription, group, namespace, segment, virtualInstance, name } = instance;
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/${namespace}/${segment}/${virtualInstance}/applicationInstances/${name}`;
}

function notFound(kind: string, name: string): Refusal {
  return new Refusal(404, `${kind}NotFound`, `The ${kind} '${name}' could not be found.`, { target: name });
}
