import { type DocumentNode, type OperationDefinitionNode, visit } from 'graphql';
import type { UpstreamName } from '../../errors.ts';
import { rootFieldNames } from './root-fields.ts';

/** Upstream services as bits: area A is one service, areas B and C share another. */
export const businessArea = 1;
export const managementArea = 2;

export const areaOfUpstream = (upstream: UpstreamName): number =>
  upstream === 'business' ? businessArea : managementArea;

const fieldsWithoutUpstream = new Set(['__typename', '__schema', '__type', '_service', 'upstreams']);
const managementFields = new Set([
  'applicationInstance',
  'healthEvent',
  'healthEvents',
  'instanceOperation',
  'managementSubscriptions',
  'operations',
  ...['Application', 'Central', 'Database', 'Virtual'].flatMap((kind) => [
    `stop${kind}Instance`,
    `start${kind}Instance`,
  ]),
  'stopApplicationInstances',
  'startApplicationInstances',
  'healthEventChanged',
  'healthEventsChanged',
  'operationProgress',
  'operationsProgress',
  'virtualInstance',
  'virtualInstances',
]);
const managementEntities = new Set([
  'ApplicationInstance',
  'CentralInstance',
  'DatabaseInstance',
  'HealthEvent',
  'InstanceOperation',
  'VirtualInstance',
]);
const entityFields = new Set(['_entities', 'node', 'nodes']);

const isManagementField = (name: string): boolean => managementFields.has(name);

const isManagementEntity = (name: string): boolean => managementEntities.has(name);

// Weak: an operation lives as long as its document.
const knownAreas = new WeakMap<OperationDefinitionNode, number>();

/** Returns the areas that an operation may call, ignoring `@skip` and `@include`. */
export function areasOfOperation(document: DocumentNode, operation: OperationDefinitionNode): number {
  let areas = knownAreas.get(operation);
  if (areas !== undefined) return areas;
  areas = 0;
  for (const field of rootFieldNames(document, operation)) {
    if (entityFields.has(field)) areas |= areasOfEntities(document);
    else if (!fieldsWithoutUpstream.has(field))
      areas |= isManagementField(field) ? managementArea : businessArea;
  }
  knownAreas.set(operation, areas);
  return areas;
}

/** The type of each entity is selected with a fragment, as routers do; without one it may be of either area. */
function areasOfEntities(document: DocumentNode): number {
  let areas = 0;
  visit(document, {
    NamedType({ name }, _key, parent) {
      const isCondition = parent && 'kind' in parent && /Fragment/.test(parent.kind);
      if (!isCondition || name.value === 'Node') return;
      areas |= isManagementEntity(name.value) ? managementArea : businessArea;
    },
  });
  return areas || businessArea | managementArea;
}
