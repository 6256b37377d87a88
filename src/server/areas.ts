import { type DocumentNode, type OperationDefinitionNode, visit } from 'graphql';
import type { UpstreamName } from '../errors.ts';
import { rootFields } from './authorization.ts';

/** The services behind the upstreams, as bits: area A is one, areas B and C are another. */
export const businessArea = 1;
export const managementArea = 2;

export const areaOf = (upstream: UpstreamName): number =>
  upstream === 'business' ? businessArea : managementArea;

const withoutUpstream = new Set(['__typename', '__schema', '__type', '_service', 'upstreams']);
const ofManagement = new Set([
  'applicationInstance',
  'healthEvent',
  'healthEvents',
  'instanceOperation',
  'stopApplicationInstance',
  'startApplicationInstance',
  'healthEventChanged',
  'operationProgress',
]);
const managementEntities = new Set(['HealthEvent', 'InstanceOperation']);

// Held weakly: an operation is kept for as long as its document is.
const known = new WeakMap<OperationDefinitionNode, number>();

/** Which areas an operation may ask, whether or not some of its fields are skipped. */
export function areasOf(document: DocumentNode, operation: OperationDefinitionNode): number {
  let areas = known.get(operation);
  if (areas !== undefined) return areas;
  areas = 0;
  for (const field of rootFields(document, operation.selectionSet)) {
    if (field === '_entities') areas |= areasOfEntities(document);
    else if (!withoutUpstream.has(field)) areas |= ofManagement.has(field) ? managementArea : businessArea;
  }
  known.set(operation, areas);
  return areas;
}

/** Routers name the type of each representation in a fragment; without one it may be of either area. */
function areasOfEntities(document: DocumentNode): number {
  let areas = 0;
  visit(document, {
    NamedType({ name }, _key, parent) {
      const isCondition = parent && 'kind' in parent && /Fragment/.test(parent.kind);
      if (isCondition) areas |= managementEntities.has(name.value) ? managementArea : businessArea;
    },
  });
  return areas || businessArea | managementArea;
}
