/**
 * The GraphQL documents of the console, and the types of their results.
 *
 * @typedef {{ subscriptionId: string, resourceGroupName: string, virtualInstanceName: string, applicationInstanceName: string }} Place
 * @typedef {'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELED' | 'UNKNOWN'} State
 * @typedef {{ code: string | null, message: string | null, details?: ErrorDetail[] }} ErrorDetail
 * @typedef {{ name: string | null, state: State, percentComplete: number | null, startTime: string | null, endTime: string | null, error: ErrorDetail | null, operations?: Step[] }} Step
 * @typedef {Step & { status: string | null }} Operation
 * @typedef {{ operation: { id: string } | null, userErrors: { code: string, message: string, upstream: ErrorDetail | null }[] }} Begun
 * @typedef {{ status: string | null, statusRaw: string | null, health: string | null, healthRaw: string | null }} Instance
 * @typedef {{ updateDateTime: string | null, summary: string | null }} Update
 * @typedef {{ impactedRegion: string | null, status: string | null, updates?: Update[] | null }} Region
 * @typedef {{ impactedService: string | null, impactedRegions: Region[] | null }} Impact
 * @typedef {{
 *   scope: string, trackingId: string, title: string | null, eventType: string | null, eventTypeRaw: string | null,
 *   eventLevel: string | null, eventLevelRaw: string | null, status: string | null, priority: number | null,
 *   lastUpdateTime: string | null, isEventSensitive: boolean | null, impact: Impact[] | null,
 * }} HealthEvent
 * @typedef {HealthEvent & { summary: string | null, description: string | null, impactStartTime: string | null, impactMitigationTime: string | null, recommendedActions: { message: string | null, actions: { actionText: string | null }[] | null } | null }} HealthEventInFull
 * @typedef {{ state: 'CLOSED' | 'OPEN' | 'HALF_OPEN', openUntil: string | null }} Breaker
 * @typedef {{ inFlight: number, maxInFlight: number, waiting: number, maxWaiting: number, pausedUntil: string | null }} Pace
 * @typedef {{ count: number, failures: number, p50Ms: number | null, p99Ms: number | null }} Calls
 * @typedef {{ name: 'BUSINESS' | 'INSTANCES' | 'HEALTH', isConfigured: boolean, breaker: Breaker | null, pace: Pace | null, lately: Calls | null }} Upstream
 */

const begun = '{ operation { id } userErrors { code message upstream { code message } } }';

export const stopInstance = `mutation Stop($input: StopApplicationInstanceInput!) {
  begun: stopApplicationInstance(input: $input) ${begun}
}`;

export const startInstance = `mutation Start($input: StartApplicationInstanceInput!) {
  begun: startApplicationInstance(input: $input) ${begun}
}`;

export const readInstance = `query ReadInstance(
  $subscriptionId: String!
  $resourceGroupName: String!
  $virtualInstanceName: String!
  $applicationInstanceName: String!
) {
  applicationInstance(
    subscriptionId: $subscriptionId
    resourceGroupName: $resourceGroupName
    virtualInstanceName: $virtualInstanceName
    applicationInstanceName: $applicationInstanceName
  ) { status statusRaw health healthRaw }
}`;

const error = 'error { code message details { code message details { code message } } }';
const step = `name state percentComplete startTime endTime ${error}`;

// A fragment cannot recurse, so nested steps are written out: five levels.
export const operationProgress = `subscription Progress($id: ID!) {
  operationProgress(id: $id) {
    ${step} status
    operations { ${step} operations { ${step} operations { ${step} operations { ${step} operations { ${step} } } } } }
  }
}`;

const event =
  'scope trackingId title eventType eventTypeRaw eventLevel eventLevelRaw status priority lastUpdateTime isEventSensitive';

// None of these fields needs a further call for sensitive events: the list takes one call.
export const activeEvents = `query ActiveEvents($first: Int!) {
  healthEvents(first: $first, filter: { status: { eq: ACTIVE } }, orderBy: [{ field: PRIORITY }]) {
    totalCount
    nodes { ${event} impact { impactedService impactedRegions { impactedRegion status } } }
  }
}`;

export const eventChanged = `subscription EventChanged($trackingId: String!, $subscriptionId: String) {
  healthEventChanged(trackingId: $trackingId, subscriptionId: $subscriptionId) {
    ${event} summary description impactStartTime impactMitigationTime
    impact { impactedService impactedRegions { impactedRegion status updates { updateDateTime summary } } }
    recommendedActions { message actions { actionText } }
  }
}`;

export const upstreams = `query Upstreams {
  upstreams {
    name
    isConfigured
    breaker { state openUntil }
    pace { inFlight maxInFlight waiting maxWaiting pausedUntil }
    lately { count failures p50Ms p99Ms }
  }
}`;
