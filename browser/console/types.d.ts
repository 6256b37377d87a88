/** What the console's documents return: see documents.js. */

/** A GraphQL document, with the type of its `data`. */
export type Document<Data> = string & { readonly returns?: Data };

export type InstanceKind =
  | 'VIRTUAL_INSTANCE'
  | 'CENTRAL_INSTANCE'
  | 'APPLICATION_INSTANCE'
  | 'DATABASE_INSTANCE';
export type Action = 'STOP' | 'START';
/** UNREAD is a state of the console alone: that of an operation that may be running, and was not read within the last minute. */
export type OperationState = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELED' | 'UNKNOWN' | 'UNREAD';

export interface ErrorDetail {
  code: string | null;
  message: string | null;
  details?: ErrorDetail[];
}

export interface UserError {
  code: string;
  message: string;
  upstream: ErrorDetail | null;
}

/** The names of an instance; those of other kinds are absent or null. */
export interface InstanceNames {
  subscriptionId: string | null;
  resourceGroupName: string | null;
  virtualInstanceName: string | null;
  applicationInstanceName?: string | null;
  centralInstanceName?: string | null;
  databaseInstanceName?: string | null;
}

export interface OperationStep {
  name: string | null;
  /** The upstream's own word. */
  status: string | null;
  state: OperationState;
  percentComplete: number | null;
  startTime: string | null;
  endTime: string | null;
  error: ErrorDetail | null;
  operations?: OperationStep[];
}

/** What is known of an operation without reading its state. */
export interface OperationOrigin extends InstanceNames {
  id: string;
  action: Action | null;
  requestedAt: string;
  instanceKind: InstanceKind | null;
}

export interface Operation extends OperationOrigin, OperationStep {}

export interface Begun {
  operation: Operation | null;
  userErrors: UserError[];
}

export interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

export interface Page<Row> {
  nodes: Row[];
  totalCount?: number | null;
  pageInfo: PageInfo;
}

/** An instance of any kind as the fleet lists it. */
export interface ComponentNode extends InstanceNames {
  __typename: string;
  nodeId: string;
  status: string | null;
  health?: string | null;
  hostname?: string | null;
  instanceNo?: string | null;
  databaseType?: string | null;
}

export interface VirtualInstanceNode extends ComponentNode {
  environment: string | null;
  product: string | null;
  location: string | null;
  applicationInstances?: Page<ComponentNode> | null;
  centralInstances?: Page<ComponentNode> | null;
  databaseInstances?: Page<ComponentNode> | null;
}

/** An instance with all its properties, by name. */
export type InstanceNode = ComponentNode & { readonly [field: string]: unknown };

export interface RegionUpdate {
  updateDateTime: string | null;
  summary: string | null;
}

export interface ImpactedRegion {
  impactedRegion: string | null;
  status: string | null;
  updates?: RegionUpdate[] | null;
}

export interface Impact {
  impactedService: string | null;
  impactedRegions: ImpactedRegion[] | null;
}

export interface HealthEvent {
  /** `tenant`, or the id of a subscription. */
  scope: string;
  trackingId: string;
  title: string | null;
  eventType: string | null;
  eventTypeRaw: string | null;
  eventLevel: string | null;
  eventLevelRaw: string | null;
  status: string | null;
  statusRaw: string | null;
  priority: number | null;
  lastUpdateTime: string | null;
  impactStartTime?: string | null;
  isEventSensitive: boolean | null;
  impact: Impact[] | null;
}

export interface FullHealthEvent extends HealthEvent {
  summary: string | null;
  description: string | null;
  impactMitigationTime: string | null;
  recommendedActions: {
    message: string | null;
    actions: { actionText: string | null }[] | null;
  } | null;
}

export interface Upstream {
  name: 'BUSINESS' | 'INSTANCES' | 'HEALTH';
  isConfigured: boolean;
  breaker: { state: 'CLOSED' | 'OPEN' | 'HALF_OPEN'; openUntil: string | null } | null;
  pace: {
    inFlight: number;
    maxInFlight: number;
    waiting: number;
    pausedUntil: string | null;
  } | null;
  lately: { count: number; failures: number; p50Ms: number | null; p99Ms: number | null } | null;
}

export interface InstanceHealth {
  availability: {
    state: string | null;
    summary: string | null;
    since: string | null;
  } | null;
  healthEvents: { nodes: HealthEvent[] } | null;
}

export interface ImpactedResource {
  targetResourceId: string | null;
  targetResourceType: string | null;
  targetRegion: string | null;
  info: { key: string | null; value: string | null }[] | null;
  instance: { nodeId: string } | null;
}

export interface ManagementSubscription {
  id: string;
  displayName: string | null;
  state: string | null;
}
