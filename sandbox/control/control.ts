import { ApiError, badRequestError } from '../api-error.ts';
import { idOf, type Store } from '../business/store.ts';
import { type ClientIdPolicies, clientIdChecks } from '../business/writes/client-ids.ts';
import { type Chaos, chaosRoutes, type Faults, faultRoutes } from '../faults/faults.ts';
import { type EventStore, eventDescriptions, eventRoutes, oddEventDescriptions } from '../health/events.ts';
import { type ApiRequest, type ApiResponse, emptyResponse, jsonResponse, parseQuery } from '../http.ts';
import { sandboxLocation } from '../instances/instance-address.ts';
import { instanceDescriptions } from '../instances/instances.ts';
import { instanceRoutes, type Operations } from '../instances/operations.ts';
import type { Journal } from '../journal.ts';
import { type ControlRoutes, commandRoute, isBoolean } from '../json-checks.ts';
import { signInRoutes } from '../tokens/authorize.ts';
import { people, type TokenService, tokenRoutes } from '../tokens/tokens.ts';
import { type Webhooks, webhookRoutes } from '../webhooks/webhooks.ts';

/** What the control API reads and changes. */
interface ControlTargets {
  readonly journal: Journal;
  readonly faults: Faults;
  /** The primary store, regardless of lagging replicas and faults. */
  readonly store: Store;
  readonly chaos: Pick<Chaos, 'start'>;
  readonly operations: Operations;
  readonly events: EventStore;
  readonly webhooks: Webhooks;
  readonly tokens: TokenService;
  /** Changes the policies for client-supplied ids. */
  setClientIds(policies: Partial<ClientIdPolicies>): void;
  /** Freezes the records that plain reads of area A see, or lets them see every write again. */
  setLagging(isLagging: boolean): void;
  /** Restores the state of the start. */
  reset(): void;
}

/** True for the paths of the control API, which is not part of the document. */
export function isControlPath(path: string): boolean {
  return path === '/sandbox' || path.startsWith('/sandbox/');
}

/** Handles a request of the control API. Accepts only requests that may change everything. */
export function handleControlRequest(
  request: ApiRequest,
  remoteAddress: string | undefined,
  targets: ControlTargets,
): ApiResponse {
  const routes: ControlRoutes = {
    ...basicRoutes(targets),
    ...faultRoutes(targets.faults),
    ...chaosRoutes(targets.chaos),
    ...webhookRoutes(targets.webhooks),
    ...tokenRoutes(targets.tokens),
    ...instanceRoutes(targets.operations),
    ...eventRoutes(targets.events),
  };
  const available = describeRoutes(routes);
  try {
    checkControlAccess(request, remoteAddress);
    const route = `${request.method} ${request.path}`;
    if (route === 'GET /sandbox' || route === 'HEAD /sandbox')
      return jsonResponse(200, sandboxIndex(targets, available));
    const found = routes[route];
    if (!found) throw new ApiError(404, 'NotFound', `There is no ${route}.`);
    return found.handle(request);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message } = error;
    return jsonResponse(status, { error: { code, message }, available });
  }
}

function basicRoutes({ journal, store, setClientIds, setLagging, reset }: ControlTargets): ControlRoutes {
  const noContent = (effect: () => void) => () => {
    effect();
    return emptyResponse(204);
  };
  return {
    'GET /sandbox/journal': {
      description: 'The requests received so far.',
      handle: () => jsonResponse(200, { requests: journal.list() }),
    },
    'DELETE /sandbox/journal': {
      description: 'Empties the journal.',
      handle: noContent(journal.clear),
    },
    'POST /sandbox/reset': { description: 'Restores the state of the start.', handle: noContent(reset) },
    'POST /sandbox/replica': commandRoute(
      'a replica',
      '{"isLagging": true} freezes the records that reads see, except reads with Data-Access-Intent: ReadWrite.',
      { isLagging: isBoolean },
      ({ isLagging = false }) => setLagging(isLagging),
    ),
    'POST /sandbox/chosen-ids': commandRoute(
      'client-supplied ids',
      '{"customers": "drop"} sets the policy for client-supplied ids of an entity set: honour, drop or refuse.',
      clientIdChecks,
      setClientIds,
    ),
    'GET /sandbox/records': {
      description: '?set=customers: the stored records of the first company, and how often each was written.',
      handle: (request) => storedRecordsResponse(request, store),
    },
  };
}

function describeRoutes(routes: ControlRoutes): Record<string, string> {
  const described = Object.entries(routes).map(([route, { description }]) => [route, description]);
  return { 'GET /sandbox': 'This index.', ...signInRoutes, ...Object.fromEntries(described) };
}

const tokensDescription =
  'Any bearer token is accepted. One that starts with expired, denied, reader or limited has fewer permissions. clerk~2 is clerk with a renewed token.';

function sandboxIndex(
  { store, operations, events }: ControlTargets,
  available: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const names = [...(operations.virtualInstances[0]?.components.applicationInstances.keys() ?? [])];
  const ofEvents = events.list().map(({ name }) => name);
  const odd = ofEvents.filter((name) => name in oddEventDescriptions);
  return {
    available,
    companies: [...store.companies.values()].map(({ record }) => ({
      id: record.values.id,
      name: record.values.name,
    })),
    instances: {
      ...sandboxLocation,
      names,
      notes: Object.fromEntries(names.map((name) => [name, instanceDescriptions[name] ?? ''])),
      virtualInstances: operations.virtualInstances.map(({ group, name }) => ({ group, name })),
    },
    events: ofEvents.filter((name) => name in eventDescriptions),
    eventNotes: { ...eventDescriptions, ...oddEventDescriptions },
    oddEvents: odd,
    tokens: tokensDescription,
    people,
  };
}

/**
 * Throws an `ApiError` unless a request of the control API may change everything: it must come from this machine, and
 * if a page sent it, from a page of the sandbox.
 */
function checkControlAccess(request: ApiRequest, remoteAddress: string | undefined): void {
  if (!isLoopbackAddress(remoteAddress)) throw refusal('accepts requests from this machine only');
  // A page of another host that a name server sends here (DNS rebinding) has the host's name in its requests.
  const { host } = request.headers;
  if (host !== undefined && !isLocalHost(host))
    throw refusal('is available as localhost and by an IP address only');
  if (isOfOtherPage(request)) throw refusal('accepts no requests of pages of other origins');
}

const refusal = (rule: string) => new ApiError(403, 'Forbidden', `The control API ${rule}.`);

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.|^::1$/.test(address);
}

/** True for IP addresses, which no name server decides, and for names that are always this machine (RFC 6761, section 6.3). */
function isLocalHost(host: string): boolean {
  return /^(?:(?:[\w-]+\.)*localhost|\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\])(?::\d+)?$/i.test(host);
}

/** Programs send none of these headers. A link to a GET, which changes nothing, may be on any page. */
function isOfOtherPage({ method, headers }: ApiRequest): boolean {
  const { host, origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  if (method === 'GET' && mode === 'navigate') return false;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && origin !== `http://${host}`;
}

/** The stored records of a set of the first company, in the order of their creation. */
function storedRecordsResponse(request: ApiRequest, store: Store): ApiResponse {
  const [company] = store.companies.values();
  const set = parseQuery(request.query).get('set') ?? '';
  const records = company?.sets.get(set);
  if (!company || !records) {
    throw badRequestError(`'set' must be one of ${[...(company?.sets.keys() ?? [])].join(', ')}.`);
  }
  return jsonResponse(200, {
    company: idOf(company.record),
    set,
    records: [...records.values()].map((record) => ({
      ...record,
      id: idOf(record),
      lines: record.lines.map((line) => line.values),
    })),
  });
}
