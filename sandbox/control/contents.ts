import { entitySets } from '../business/entity-sets.ts';
import { standardRoute } from '../business/routes.ts';
import type { Company, Store } from '../business/store.ts';
import { idOf } from '../business/store.ts';
import type { EventStore } from '../health/events.ts';
import { eventDescriptions, oddEventDescriptions } from '../health/events.ts';
import { healthApiVersion } from '../health/health.ts';
import { defaultDescription } from '../instances/behaviour.ts';
import {
  componentKinds,
  instanceId,
  sandboxLocation,
  type VirtualInstanceAddress,
  virtualInstanceId,
} from '../instances/instance-address.ts';
import { instanceDescriptions } from '../instances/instances.ts';
import type { Operations } from '../instances/operations.ts';
import { outcomeOf } from '../instances/outcome.ts';
import { instanceApiVersion } from '../instances/parameters.ts';
import { currentStatus } from '../instances/resource.ts';
import type { VirtualInstance } from '../instances/virtual-instances.ts';
import { oddRecords } from '../seed/seed.ts';
import { people } from '../tokens/consent.ts';

interface Contained {
  readonly store: Store;
  readonly operations: Operations;
  readonly events: EventStore;
}

/** Everything that can be requested, with what is special about it and the path of a GET that shows it. */
export function describeContents({ store, operations, events }: Contained): Record<string, unknown> {
  return {
    companies: [...store.companies.values()].map(describeCompany),
    oddRecords: oddRecords.map(({ set, id, description }) => ({
      set,
      description,
      path: `${companyPath([...store.companies.values()][0])}/${set}(${id})`,
    })),
    defaultDescription,
    virtualInstances: operations.virtualInstances.map(describeVirtualInstance),
    instances: describeInstances(operations),
    events: events.list().map(({ name, properties }) => ({
      trackingId: name,
      title: typeof properties?.title === 'string' ? properties.title : null,
      description: eventDescriptions[name] ?? oddEventDescriptions[name] ?? null,
      isBeyondDocument: Object.hasOwn(oddEventDescriptions, name),
      path: `/subscriptions/${sandboxLocation.subscription}/providers/Vendor.Health/events/${encodeURIComponent(name)}?api-version=${healthApiVersion}`,
    })),
    users: Object.entries(people).map(([name, description]) => ({ name, description })),
    tokens: tokensDescription,
  };
}

/** What the text of a token decides. */
export const tokensDescription =
  'Any bearer token is accepted. One that starts with expired, denied, reader or limited has fewer permissions. clerk~2 is clerk with a renewed token.';

const companyPath = (company: Company | undefined, route = standardRoute): string =>
  `/api/${route}/companies(${company ? idOf(company.record) : ''})`;

function describeCompany(company: Company): Record<string, unknown> {
  const sets = entitySets.filter(
    ({ name, hasAddress, linesOf }) => hasAddress && linesOf === undefined && name !== 'companies',
  );
  return {
    id: idOf(company.record),
    name: company.record.values.name,
    sets: sets.map(({ name, route, writes, computation }) => ({
      name,
      records: company.sets.size(computation?.from ?? name),
      writes,
      path: `${companyPath(company, route)}/${name}?$top=3`,
    })),
  };
}

const addressOf = ({ group, name }: Pick<VirtualInstance, 'group' | 'name'>): VirtualInstanceAddress => ({
  ...sandboxLocation,
  group,
  namespace: 'Vendor.Workloads',
  segment: 'virtualInstances',
  virtualInstance: name,
});

const versioned = (path: string): string => `${path}?api-version=${instanceApiVersion}`;

function describeVirtualInstance(one: VirtualInstance): Record<string, unknown> {
  return {
    group: one.group,
    name: one.name,
    ...Object.fromEntries(componentKinds.map((kind) => [kind, one.components[kind].size])),
    failsAt: one.failure?.component ?? null,
    path: versioned(virtualInstanceId(addressOf(one))),
  };
}

/** The application server instances of the first virtual instance, each of which is named for what it does. */
function describeInstances({ instances }: Operations): readonly Record<string, unknown>[] {
  const now = Date.now();
  return [...instances.values()].map((instance) => {
    const { name, behaviour } = instance;
    const address = { ...addressOf({ ...sandboxLocation, name: sandboxLocation.virtualInstance }), name };
    return {
      name,
      description: instanceDescriptions[name] ?? null,
      outcome: outcomeOf(behaviour),
      status: currentStatus(instance, now),
      path: versioned(
        instanceId({ ...address, component: 'applicationInstances', name: encodeURIComponent(name) }),
      ),
    };
  });
}
