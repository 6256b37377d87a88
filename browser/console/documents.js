/**
 * The GraphQL documents of the console. They are fixed, so that a manifest of trusted documents can list them.
 *
 * @import { Begun, Document, FullHealthEvent, HealthEvent, ImpactedResource, InstanceHealth, InstanceNode, ManagementSubscription, Operation, OperationOrigin, Page, Upstream, VirtualInstanceNode } from './types.js'
 */

const listed = 'totalCount pageInfo { hasNextPage endCursor }';
const address = 'subscriptionId resourceGroupName virtualInstanceName';

const system = `__typename nodeId ${address} status health
environment product location`;

/** The virtual instances alone: one list upstream, however many there are. @type {Document<{ virtualInstances: Page<VirtualInstanceNode> | null }>} */
export const fleetPage = `query FleetPage($subscriptionId: String!, $first: Int!, $after: String) {
  virtualInstances(subscriptionId: $subscriptionId, first: $first, after: $after) {
    ${listed}
    nodes {
      ${system}
    }
  }
}`;

/** Some of them with their components: three lists upstream for each. @type {Document<{ nodes: (VirtualInstanceNode | null)[] | null }>} */
export const systems = `query Systems($nodeIds: [ID!]!) {
  nodes(nodeIds: $nodeIds) {
    ... on VirtualInstance {
      ${system}
      applicationInstances(first: 500) {
        ${listed}
        nodes { __typename nodeId ${address} applicationInstanceName status health hostname instanceNo }
      }
      centralInstances(first: 50) {
        ${listed}
        nodes { __typename nodeId ${address} centralInstanceName status health instanceNo }
      }
      databaseInstances(first: 50) {
        ${listed}
        nodes { __typename nodeId ${address} databaseInstanceName status databaseType }
      }
    }
  }
}`;

const network = 'subnet ipAddress loadBalancerId';
const managed = `name type resourceId location tags provisioningState createdAt lastModifiedAt
error { code message details { code message } }`;

const instanceFields = `__typename
nodeId
... on VirtualInstance {
  ${address} status health environment product
  state managedResourceGroupName ${managed}
}
... on ApplicationInstance {
  ${address} applicationInstanceName status health instanceNo hostname ${network}
  kernelVersion kernelPatch gatewayPort icmHttpPort icmHttpsPort virtualMachines { virtualMachineId } ${managed}
}
... on CentralInstance {
  ${address} centralInstanceName status health instanceNo subnet loadBalancerId
  messageServer { hostname ipAddress port health } enqueueServer { hostname ipAddress port health }
  kernelVersion kernelPatch virtualMachines { virtualMachineId } ${managed}
}
... on DatabaseInstance {
  ${address} databaseInstanceName status databaseSid databaseType ${network}
  virtualMachines { virtualMachineId } ${managed}
}`;

/** @type {Document<{ node: InstanceNode | null }>} */
export const instance = `query Instance($nodeId: ID!) {
  node(nodeId: $nodeId) {
    ${instanceFields}
  }
}`;

const error = 'error { code message details { code message details { code message } } }';
const step = `name status state percentComplete startTime endTime ${error}`;

// A fragment cannot recurse, so nested steps are written out: five levels.
const origin = `id action requestedAt instanceKind ${address} applicationInstanceName centralInstanceName databaseInstanceName`;
const operation = `
${origin}
${step}
operations { ${step} operations { ${step} operations { ${step} operations { ${step} operations { ${step} } } } } }`;

/** @type {Document<{ operations: (Operation | null)[] | null }>} */
export const operations = `query Operations { operations {${operation} } }`;

/** Without states, the server asks no upstream. @type {Document<{ operations: (OperationOrigin | null)[] | null }>} */
export const operationOrigins = `query OperationOrigins { operations { ${origin} } }`;

/** @type {Document<{ instanceOperation: Operation | null }>} */
export const oneOperation = `query OneOperation($id: ID!) { instanceOperation(id: $id) {${operation} } }`;

/** @type {Document<{ operationsProgress: Operation | null }>} */
export const operationsProgress = `subscription OperationsProgress($ids: [ID!]!) {
  operationsProgress(ids: $ids) {${operation} }
}`;

const begun = `{ operation {${operation} } userErrors { code message upstream { code message } } }`;

/**
 * @param {string} field of the mutation
 * @param {string} input its type
 * @param {string} selection
 */
const act = (field, input, selection) =>
  `mutation ${field.charAt(0).toUpperCase()}${field.slice(1)}($input: ${input}!) {
  begun: ${field}(input: $input) ${selection}
}`;

/** @typedef {Document<{ begun: Begun | null }>} ActDocument */

/** By kind of instance and action. @type {Readonly<Record<string, Readonly<Record<'STOP' | 'START', ActDocument>>>>} */
export const actOnOne = {
  VIRTUAL_INSTANCE: {
    STOP: act('stopVirtualInstance', 'StopVirtualInstanceInput', begun),
    START: act('startVirtualInstance', 'StartVirtualInstanceInput', begun),
  },
  CENTRAL_INSTANCE: {
    STOP: act('stopCentralInstance', 'StopCentralInstanceInput', begun),
    START: act('startCentralInstance', 'StartCentralInstanceInput', begun),
  },
  DATABASE_INSTANCE: {
    STOP: act('stopDatabaseInstance', 'StopDatabaseInstanceInput', begun),
    START: act('startDatabaseInstance', 'StartDatabaseInstanceInput', begun),
  },
};

/** Of application server instances. @type {Readonly<Record<'STOP' | 'START', Document<{ begun: { results: Begun[] } | null }>>>} */
export const actOnMany = {
  STOP: act('stopApplicationInstances', 'StopApplicationInstancesInput', `{ results ${begun} }`),
  START: act('startApplicationInstances', 'StartApplicationInstancesInput', `{ results ${begun} }`),
};

// None of these fields needs a further call for a sensitive event whose plain record has them.
const event = `scope trackingId title eventType eventTypeRaw eventLevel eventLevelRaw status statusRaw priority
lastUpdateTime isEventSensitive`;
const impact = 'impact { impactedService impactedRegions { impactedRegion status } }';

/** @type {Document<{ healthEvents: Page<HealthEvent> | null }>} */
export const healthEvents = `query HealthEvents($subscriptionId: String, $first: Int!, $after: String) {
  healthEvents(subscriptionId: $subscriptionId, first: $first, after: $after) {
    ${listed}
    nodes { ${event} ${impact} }
  }
}`;

/** @type {Document<{ healthEventsChanged: HealthEvent | null }>} */
export const healthEventsChanged = `subscription HealthEventsChanged($subscriptionId: String) {
  healthEventsChanged(subscriptionId: $subscriptionId) { ${event} ${impact} }
}`;

/** @type {Document<{ healthEventChanged: FullHealthEvent | null }>} */
export const healthEventChanged = `subscription HealthEventChanged($trackingId: String!, $subscriptionId: String) {
  healthEventChanged(trackingId: $trackingId, subscriptionId: $subscriptionId) {
    ${event} summary description impactStartTime impactMitigationTime
    impact { impactedService impactedRegions { impactedRegion status updates { updateDateTime summary } } }
    recommendedActions { message actions { actionText } }
  }
}`;

/** @type {Document<{ upstreams: Upstream[] | null }>} */
export const upstreams = `query Upstreams {
  upstreams {
    name
    isConfigured
    breaker { state openUntil }
    pace { inFlight maxInFlight waiting pausedUntil }
    lately { count failures p50Ms p99Ms }
  }
}`;

const touched = `availability { state summary since }
healthEvents(first: 50) { nodes { ${event} ${impact} } }`;

/** @type {Document<{ node: InstanceHealth | null }>} */
export const instanceHealth = `query InstanceHealth($nodeId: ID!) {
  node(nodeId: $nodeId) {
    ... on VirtualInstance { ${touched} }
    ... on ApplicationInstance { ${touched} }
    ... on CentralInstance { ${touched} }
    ... on DatabaseInstance { ${touched} }
  }
}`;

/** @type {Document<{ healthEvent: { impactedResources: Page<ImpactedResource> | null } | null }>} */
export const impactedResources = `query ImpactedResources($trackingId: String!, $subscriptionId: String) {
  healthEvent(trackingId: $trackingId, subscriptionId: $subscriptionId) {
    impactedResources(first: 200) {
      ${listed}
      nodes { targetResourceId targetResourceType targetRegion info { key value } instance { nodeId } }
    }
  }
}`;

/** @type {Document<{ managementSubscriptions: Page<ManagementSubscription> | null }>} */
export const managementSubscriptions = `query ManagementSubscriptions {
  managementSubscriptions(first: 1000) { ${listed} nodes { id displayName state } }
}`;
