import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isBusinessPath } from './business/address.ts';
import type { PartHandler } from './business/batch.ts';
import { type BusinessData, createHiddenRecords, handleBusinessRequest } from './business/business.ts';
import { type DialectName, dialectOf } from './business/dialect.ts';
import { createPageTokens } from './business/query/collection.ts';
import type { Store } from './business/store.ts';
import {
  type ClientIdOption,
  type ClientIdPolicies,
  resolveClientIdPolicies,
} from './business/writes/client-ids.ts';
import { handleControlRequest, isControlPath } from './control/control.ts';
import type { Fault } from './faults/fault-kinds.ts';
import { applyFault, applyPartFault, createChaos, createFaults, preventsExecution } from './faults/faults.ts';
import { createEventStore, type EventStore } from './health/events.ts';
import {
  type ApiRequest,
  type ApiResponse,
  closeAfter,
  emptyResponse,
  jsonResponse,
  readBody,
  sendResponse,
  splitTarget,
} from './http.ts';
import { createOperations, type Operations } from './instances/operations.ts';
import { addJournalPart, createJournal, type JournalEntry, redactForm } from './journal.ts';
import { handleManagementRequest, isManagementPath } from './management.ts';
import { createSeededStore, type RecordCounts, sandboxCompanyId, sandboxExamples } from './seed.ts';
import { derivedGuid } from './seeded.ts';
import { handleSignInRequest, isSignInPath } from './tokens/authorize.ts';
import { createTokenService } from './tokens/tokens.ts';
import type { WebhookOptions } from './webhooks/receiver.ts';
import { handleSubscriptionRequest, isSubscriptionPath } from './webhooks/subscription-requests.ts';
import { createWebhooks } from './webhooks/webhooks.ts';

export interface SandboxOptions {
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on. Default: 0, any free port. */
  readonly port?: number;
  /** Duration of each of the five steps of an instance operation. Default: 1000. */
  readonly stepMs?: number;
  /** Whether area A behaves as the document says or as the real service does. Default: `document`. */
  readonly dialect?: DialectName;
  /** Whether area A has v1.0, with the old shape of items. Default: true. */
  readonly itemV1?: boolean;
  /** What happens to client-supplied ids of new records. The default depends on the dialect. */
  readonly chosenIds?: ClientIdOption;
  /** How many records of each set the first company has. */
  readonly records?: RecordCounts;
  /** Leaves out the instances and events that are there for odd cases. Default: false. */
  readonly isDemo?: boolean;
  /** How webhooks for record changes are delivered. */
  readonly webhooks?: WebhookOptions;
}

export interface Sandbox {
  /** URL of all three areas, without a trailing slash. */
  readonly url: string;
  /** The company to use by default. */
  readonly companyId: string;
  /** Records and an instance that exist after every start. */
  readonly examples: typeof sandboxExamples;
  /** Stops immediately and closes open connections, including those that wait for a response. */
  stop(): Promise<void>;
}

/** Characters of each request body that the journal keeps. */
const journalBodyLength = 8_192;

/** Large enough for a query that exceeds the limit, so that the response can be 414. */
const maxHeaderSize = 65_536;

/**
 * Starts an in-memory server for all three areas of the document, with the same data at every start. Rejects
 * with the error of Node.js when it cannot listen.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0 } = options;
  const journal = createJournal();
  const faults = createFaults();
  const chaos = createChaos();
  const webhooks = createWebhooks(options.webhooks ?? {}, dialectOf(options.dialect ?? 'document'));
  const tokens = createTokenService(() => url);
  let state = createState(options);
  let url = '';
  let received = 0;

  function reset(): void {
    state = createState(options);
    faults.clear();
    chaos.stop();
    journal.clear();
    webhooks.clear();
    tokens.reset();
  }

  function setLagging(isLagging: boolean): void {
    state.replica = isLagging ? state.store.copy() : undefined;
  }

  function handleApiRequest(
    apiRequest: ApiRequest,
    entry: JournalEntry,
    isLate: boolean,
  ): ApiResponse | Promise<ApiResponse> {
    const handlePart: PartHandler = (method, target, execute) => {
      const note = addJournalPart(entry, method, target);
      // A request that is executed late does not change the random faults of those that arrive in the meantime.
      const random = isLate ? undefined : chaos.takeForPart(method, target, note);
      const fault = faults.takeForPart(method, target) ?? random;
      return applyPartFault(fault, note, execute);
    };
    if (isSignInPath(apiRequest.path)) return handleSignInRequest(apiRequest, tokens);
    if (isSubscriptionPath(apiRequest.path))
      return handleSubscriptionRequest(apiRequest, { ...state, webhooks });
    if (isBusinessPath(apiRequest.path)) return handleBusinessRequest(apiRequest, state, handlePart);
    if (isManagementPath(apiRequest.path)) return handleManagementRequest(apiRequest, state);
    return jsonResponse(404, { error: { code: 'NotFound', message: 'Unknown path. See GET /sandbox.' } });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    received += 1;
    const target = request.url ?? '/';
    const { path } = splitTarget(target);
    if (isControlPath(path)) {
      sendResponse(response, respondToControl(await readRequest(request), request.socket.remoteAddress));
      return;
    }
    const entry = journal.addEntry(request.method ?? '', target, request.headers);
    const apiRequest = await readRequest(request);
    const isSignIn = isSignInPath(path);
    entry.body = (isSignIn ? redactForm(apiRequest.body) : apiRequest.body).slice(0, journalBodyLength);
    const fault =
      faults.takeForRequest(apiRequest.method, target) ?? chaos.takeForRequest(apiRequest, target, entry);
    if (fault && entry.chaos === undefined) entry.fault = fault.kind ?? 'custom';
    const end = journal.begin(entry);
    await executeWithFault(apiRequest, entry, response, fault).finally(end);
  }

  async function readRequest(request: IncomingMessage): Promise<ApiRequest> {
    const { path, query } = splitTarget(request.url ?? '/');
    const number = received;
    return {
      method: request.method ?? '',
      path,
      query,
      headers: tokens.resolveAuthorization(request.headers, isManagementPath(path)),
      ...(await readBody(request)),
      origin: request.headers.host === undefined ? url : `http://${request.headers.host}`,
      requestId: derivedGuid(`request:${number}`),
    };
  }

  function respondToControl(apiRequest: ApiRequest, remoteAddress: string | undefined): ApiResponse {
    const { store, operations, events } = state;
    const setClientIds = (policies: ClientIdPolicies) => {
      state.clientIds = { ...state.clientIds, ...policies };
    };
    const controls = {
      ...{ journal, faults, chaos, store, operations, events, webhooks, tokens },
      ...{ setClientIds, setLagging, reset },
    };
    return handleControlRequest(apiRequest, remoteAddress, controls);
  }

  async function executeWithFault(
    apiRequest: ApiRequest,
    entry: JournalEntry,
    response: ServerResponse,
    fault?: Fault,
  ): Promise<void> {
    const startedAt = performance.now();
    const before = state;
    if (fault?.lateMs) await sleep(fault.lateMs, undefined, { ref: false });
    if (state !== before) {
      // A reset discards requests that still wait for their execution.
      response.destroy();
      return;
    }
    // Executed before the delay, so that the outcome is unknown to a caller who stops waiting.
    const execute = () => handleApiRequest(apiRequest, entry, fault?.lateMs !== undefined);
    if (fault?.repeat) await execute();
    const real = preventsExecution(fault) ? emptyResponse(200) : await execute();
    if (fault?.unseenMs) state.hiddenRecords.hide(real, fault.unseenMs);
    webhooks.addChanges(state.store.takeChanges());
    if (fault?.delayMs) await sleep(fault.delayMs, undefined, { ref: false });
    entry.durationMs = Math.round(performance.now() - startedAt);
    if (fault?.reset) {
      response.socket?.resetAndDestroy();
      return;
    }
    const final = fault ? applyFault(fault, real) : real;
    entry.status = final.status;
    if (fault?.interim) response.writeContinue();
    if (fault?.closeAfterMs !== undefined) closeAfter(response, fault.closeAfterMs);
    sendResponse(response, final, fault?.cutAt);
  }

  const server = createServer({ maxHeaderSize, keepAliveTimeout: 60_000 }, (request, response) => {
    handle(request, response).catch((error: unknown) => respondWithInternalError(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  url = `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;

  return {
    url,
    companyId: sandboxCompanyId,
    examples: sandboxExamples,
    async stop() {
      webhooks.clear();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Responds with 500 to an error of the sandbox itself, unless the client has disconnected. */
function respondWithInternalError(serverResponse: ServerResponse, error: unknown): void {
  if (serverResponse.destroyed || serverResponse.headersSent) {
    serverResponse.destroy();
    return;
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  sendResponse(serverResponse, jsonResponse(500, { error: { code: 'Internal_ServerError', message } }));
}

/** What a reset replaces. */
interface SandboxState extends BusinessData {
  replica: Store | undefined;
  clientIds: ClientIdPolicies;
  readonly operations: Operations;
  readonly events: EventStore;
}

/** The state of the start. */
function createState(options: SandboxOptions): SandboxState {
  const {
    stepMs = 1000,
    dialect = 'document',
    itemV1 = true,
    records = {},
    chosenIds,
    isDemo = false,
  } = options;
  return {
    store: createSeededStore(records),
    replica: undefined,
    hiddenRecords: createHiddenRecords(),
    pages: createPageTokens(),
    dialect: dialectOf(dialect),
    clientIds: resolveClientIdPolicies(chosenIds, dialect),
    hasItemV1: itemV1,
    operations: createOperations(stepMs, isDemo),
    events: createEventStore(Date.now(), isDemo),
  };
}
