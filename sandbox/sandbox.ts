import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isBusinessPath } from './business/address.ts';
import type { PartHandler } from './business/batch.ts';
import type { BusinessData } from './business/business.ts';
import { handleBusinessRequest } from './business/business.ts';
import type { ClientIdOption, ClientIdPolicies } from './business/client-ids.ts';
import { resolveClientIdPolicies } from './business/client-ids.ts';
import type { DialectName } from './business/dialect.ts';
import { dialectOf } from './business/dialect.ts';
import { createHiddenRecords } from './business/hidden-records.ts';
import { createPageTokens } from './business/page-tokens.ts';
import type { Store } from './business/store.ts';
import type { Chaos } from './chaos.ts';
import { createChaos } from './chaos.ts';
import { handleControlRequest, isControlPath } from './control.ts';
import type { Fault } from './faults.ts';
import { applyFault, applyPartFault, createFaults, preventsExecution } from './faults.ts';
import type { EventStore } from './health/events.ts';
import { createEventStore } from './health/events.ts';
import type { ApiRequest, ApiResponse } from './http.ts';
import { closeAfter, emptyResponse, jsonResponse, readBody, sendResponse, splitTarget } from './http.ts';
import type { Operations } from './instances/operations.ts';
import { createOperations } from './instances/operations.ts';
import type { JournalEntry } from './journal.ts';
import { addJournalPart, createJournal, createUnderWay } from './journal.ts';
import { handleManagementRequest, isManagementPath } from './management.ts';
import type { RecordCounts } from './seed/seed.ts';
import { createSeededStore, sandboxCompanyId, sandboxExamples } from './seed/seed.ts';
import { derivedGuid } from './seeded.ts';
import { redactForm, redactHeaders, redactTarget } from './tokens/redaction.ts';
import { handleSignInRequest, isSignInPath } from './tokens/sign-in.ts';
import { tokenRoutes } from './tokens/token-control.ts';
import type { TokenOptions } from './tokens/tokens.ts';
import { createTokenService } from './tokens/tokens.ts';
import type { WebhookOptions } from './webhooks/settings.ts';
import { handleSubscriptionRequest, isSubscriptionPath } from './webhooks/subscription-requests.ts';
import { webhookRoutes } from './webhooks/webhook-control.ts';
import { createWebhooks } from './webhooks/webhooks.ts';
import { writeRoutes } from './write-control.ts';

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
  /** How webhooks for record changes are delivered. */
  readonly webhooks?: WebhookOptions;
  /** The clients of the authorization server, and the claims and lifetime of its tokens. */
  readonly tokens?: TokenOptions;
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

interface SandboxState extends BusinessData {
  replica: Store | undefined;
  clientIds: ClientIdPolicies;
  readonly operations: Operations;
  readonly events: EventStore;
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
  const underWay = createUnderWay();
  const faults = createFaults();
  const chaos = createChaos();
  const webhooks = createWebhooks(options.webhooks ?? {}, dialectOf(options.dialect ?? 'document'));
  const tokens = createTokenService(options.tokens, () => url);
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

  const controlRoutes = {
    ...writeRoutes({
      chosenIds: (policies) => {
        state.clientIds = { ...state.clientIds, ...policies };
      },
      chaos: (settings) => chaos.start(settings),
      store: () => state.store,
    }),
    ...webhookRoutes(webhooks),
    ...tokenRoutes(tokens),
  };

  function handleApiRequest(
    apiRequest: ApiRequest,
    entry: JournalEntry,
    chaosSource: Chaos,
  ): ApiResponse | Promise<ApiResponse> {
    const handlePart: PartHandler = (method, target, execute) => {
      const note = addJournalPart(entry, method, target);
      const fault = faults.takeForPart(method, target) ?? chaosSource.takeForPart(method, target, note);
      return applyPartFault(fault, note, execute);
    };
    if (isSignInPath(apiRequest.path)) return handleSignInRequest(apiRequest, tokens);
    if (isSubscriptionPath(apiRequest.path))
      return handleSubscriptionRequest(apiRequest, { ...state, webhooks });
    if (isBusinessPath(apiRequest.path)) return handleBusinessRequest(apiRequest, state, handlePart);
    if (isManagementPath(apiRequest.path)) return handleManagementRequest(apiRequest, state);
    return jsonResponse(404, {
      error: { code: 'NotFound', message: 'Unknown path. See GET /sandbox.' },
    });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    received += 1;
    const target = request.url ?? '/';
    const { path, query } = splitTarget(target);
    const isSignIn = isSignInPath(path);
    const shown = isSignIn ? redactHeaders(request.headers) : request.headers;
    const entry =
      isControlPath(path) && !isSignIn
        ? undefined
        : journal.addEntry(request.method ?? '', redactTarget(target), shown);
    const apiRequest: ApiRequest = {
      method: request.method ?? '',
      path,
      query,
      headers: tokens.resolveAuthorization(request.headers, isManagementPath(path)),
      ...(await readBody(request)),
      origin: request.headers.host === undefined ? url : `http://${request.headers.host}`,
      requestId: derivedGuid(`request:${received}`),
    };
    if (!entry) {
      const { store, operations, events } = state;
      const controls = { journal, faults, store, operations, events, setLagging, reset };
      sendResponse(
        response,
        handleControlRequest(apiRequest, request.socket.remoteAddress, controls, controlRoutes),
      );
      return;
    }
    entry.body = (isSignIn ? redactForm(apiRequest.body) : apiRequest.body).slice(0, journalBodyLength);
    const fault =
      faults.takeForRequest(apiRequest.method, target) ?? chaos.takeForRequest(apiRequest, target, entry);
    const end = underWay.begin(entry);
    await executeWithFault(apiRequest, entry, response, fault).finally(end);
  }

  async function executeWithFault(
    apiRequest: ApiRequest,
    entry: JournalEntry,
    response: ServerResponse,
    fault?: Fault,
  ): Promise<void> {
    const startedAt = performance.now();
    const [before, chaosSource] = [state, fault?.lateMs ? chaos.fork() : chaos];
    if (fault?.lateMs) await sleep(fault.lateMs, undefined, { ref: false });
    if (state !== before) {
      // A reset discards requests that still wait for their execution.
      response.destroy();
      return;
    }
    // Executed before the delay, so that the outcome is unknown to a caller who stops waiting.
    const execute = () => handleApiRequest(apiRequest, entry, chaosSource);
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

function createState(options: SandboxOptions): SandboxState {
  const { stepMs = 1000, dialect = 'document', itemV1 = true, records = {}, chosenIds } = options;
  return {
    store: createSeededStore(records),
    replica: undefined,
    hiddenRecords: createHiddenRecords(),
    pages: createPageTokens(),
    dialect: dialectOf(dialect),
    clientIds: resolveClientIdPolicies(chosenIds, dialect),
    hasItemV1: itemV1,
    operations: createOperations(stepMs),
    events: createEventStore(Date.now()),
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
