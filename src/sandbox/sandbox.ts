import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isBusinessPath } from './business/address.ts';
import type { PartAnswerer } from './business/batch.ts';
import type { BusinessData } from './business/business.ts';
import { answerBusiness } from './business/business.ts';
import type { ChosenIdOption, ChosenIds } from './business/chosen-ids.ts';
import { chosenIdsOf } from './business/chosen-ids.ts';
import type { DialectName } from './business/dialect.ts';
import { dialectOf } from './business/dialect.ts';
import { createPageTokens } from './business/page-tokens.ts';
import type { Store } from './business/store.ts';
import type { Chaos } from './chaos.ts';
import { createChaos } from './chaos.ts';
import { answerControl, isControlPath } from './control.ts';
import type { Fault } from './faults.ts';
import { createFaults, disturb, disturbPart, isKeptFrom } from './faults.ts';
import type { Answer, Call } from './http.ts';
import { empty, json, readBody, send, splitTarget } from './http.ts';
import type { Operations } from './instances/operations.ts';
import { createOperations } from './instances/operations.ts';
import type { JournalEntry } from './journal.ts';
import { createJournal, journalPart } from './journal.ts';
import { answerManagement, isManagementPath } from './management.ts';
import type { RecordCounts } from './seed/seed.ts';
import { createSeededStore } from './seed/seed.ts';
import { derivedGuid } from './seeded.ts';
import { shownForm, shownHeaders, shownTarget } from './tokens/shown.ts';
import { answerSignIn, isSignInPath } from './tokens/sign-in.ts';
import { tokenControls } from './tokens/token-control.ts';
import type { TokenOptions } from './tokens/tokens.ts';
import { createTokens } from './tokens/tokens.ts';
import type { WebhookOptions } from './webhooks/settings.ts';
import { answerSubscriptions, isSubscriptionPath } from './webhooks/subscription-answers.ts';
import { webhookControls } from './webhooks/webhook-control.ts';
import { createWebhooks } from './webhooks/webhooks.ts';
import { writeControls } from './write-control.ts';

export interface SandboxOptions {
  /** Address to listen on; 127.0.0.1 when left out. */
  readonly host?: string;
  /** Port to listen on; 0, any free one, when left out. */
  readonly port?: number;
  /** How long one of the five steps of an instance operation takes; 1000 when left out. */
  readonly stepMs?: number;
  /** Whether area A speaks as the document has it, the default, or as the real service does. */
  readonly dialect?: DialectName;
  /** Whether v1.0 of area A is there, with the old shape of items; true when left out. */
  readonly itemV1?: boolean;
  /** What becomes of the ids that callers choose for new records; as the dialect has it when left out. */
  readonly chosenIds?: ChosenIdOption;
  /** How many records of a kind the first company has; what is left out stays as usual. */
  readonly records?: RecordCounts;
  /** How those who subscribed to changes of records are told of them. */
  readonly webhooks?: WebhookOptions;
  /** Who gets tokens, what they say and how long they last. */
  readonly tokens?: TokenOptions;
}

export interface Sandbox {
  /** Address of all three areas, without a slash at the end. */
  readonly url: string;
  /** Stops at once: open connections are closed, whatever they wait for. */
  stop(): Promise<void>;
}

interface World extends BusinessData {
  replica: Store | undefined;
  chosenIds: ChosenIds;
  readonly operations: Operations;
}

/** Body text kept of each request in the journal. */
const journalBodyLength = 8_192;

/** Room for a request line well beyond the longest query that is answered, so that 414 can be told. */
const maxHeaderSize = 65_536;

/**
 * Starts a server that keeps the document's promises for all three areas, in memory and with the
 * same data every time. Rejects with the error of node when it cannot listen.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0 } = options;
  const journal = createJournal();
  const faults = createFaults();
  const chaos = createChaos();
  const webhooks = createWebhooks(options.webhooks ?? {}, dialectOf(options.dialect ?? 'document'));
  const tokens = createTokens(options.tokens, () => url);
  let world = createWorld(options);
  let url = '';
  let received = 0;

  function reset(): void {
    world = createWorld(options);
    faults.clear();
    chaos.stop();
    journal.clear();
    webhooks.clear();
    tokens.clear();
  }

  function setLagging(isLagging: boolean): void {
    world.replica = isLagging ? world.store.copy() : undefined;
  }

  const steering = {
    ...writeControls({
      chosenIds: (policies) => {
        world.chosenIds = { ...world.chosenIds, ...policies };
      },
      chaos: (settings) => chaos.start(settings),
      store: () => world.store,
    }),
    ...webhookControls(webhooks),
    ...tokenControls(tokens),
  };

  function answer(call: Call, entry: JournalEntry, disturbing: Chaos): Answer | Promise<Answer> {
    const answerPart: PartAnswerer = (method, target, carryOut) => {
      const note = journalPart(entry, method, target);
      const fault = faults.takePart(method, target) ?? disturbing.takePart(method, target, note);
      return disturbPart(fault, note, carryOut);
    };
    if (isSignInPath(call.path)) return answerSignIn(call, tokens);
    if (isSubscriptionPath(call.path)) return answerSubscriptions(call, { ...world, webhooks });
    if (isBusinessPath(call.path)) return answerBusiness(call, world, answerPart);
    if (isManagementPath(call.path)) return answerManagement(call, world.operations);
    return json(404, { error: { code: 'NotFound', message: 'There is nothing here. Try GET /sandbox.' } });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    received += 1;
    const target = request.url ?? '/';
    const { path, query } = splitTarget(target);
    const isSignIn = isSignInPath(path);
    const shown = isSignIn ? shownHeaders(request.headers) : request.headers;
    const entry =
      isControlPath(path) && !isSignIn
        ? undefined
        : journal.open(request.method ?? '', shownTarget(target), shown);
    const call: Call = {
      method: request.method ?? '',
      path,
      query,
      headers: tokens.judged(request.headers, isManagementPath(path)),
      ...(await readBody(request)),
      origin: request.headers.host === undefined ? url : `http://${request.headers.host}`,
      requestId: derivedGuid(`request:${received}`),
    };
    if (!entry) {
      const { store, operations } = world;
      const controls = { journal, faults, store, operations, setLagging, reset };
      send(response, answerControl(call, request.socket.remoteAddress, controls, steering));
      return;
    }
    entry.body = (isSignIn ? shownForm(call.body) : call.body).slice(0, journalBodyLength);
    await serve(call, entry, response, faults.take(call.method, target) ?? chaos.take(call, target, entry));
  }

  async function serve(
    call: Call,
    entry: JournalEntry,
    response: ServerResponse,
    fault?: Fault,
  ): Promise<void> {
    const startedAt = performance.now();
    const [before, disturbing] = [world, fault?.lateMs ? chaos.fork() : chaos];
    if (fault?.lateMs) await sleep(fault.lateMs, undefined, { ref: false });
    if (world !== before) {
      // A reset came first: what was still waiting is not carried out in the new world.
      response.destroy();
      return;
    }
    // Carried out before the delay, so that a caller who gives up waiting cannot know what happened.
    const real = isKeptFrom(fault) ? empty(200) : await answer(call, entry, disturbing);
    webhooks.note(world.store.takeChanges());
    if (fault?.delayMs) await sleep(fault.delayMs, undefined, { ref: false });
    entry.durationMs = Math.round(performance.now() - startedAt);
    if (fault?.reset) {
      response.socket?.resetAndDestroy();
      return;
    }
    const final = fault ? disturb(fault, real) : real;
    entry.status = final.status;
    send(response, final, fault?.cutAt);
  }

  const server = createServer({ maxHeaderSize, keepAliveTimeout: 60_000 }, (request, response) => {
    handle(request, response).catch((error: unknown) => fail(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  url = `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;

  return {
    url,
    async stop() {
      webhooks.clear();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function createWorld(options: SandboxOptions): World {
  const { stepMs = 1000, dialect = 'document', itemV1 = true, records = {}, chosenIds } = options;
  return {
    store: createSeededStore(records),
    replica: undefined,
    pages: createPageTokens(),
    dialect: dialectOf(dialect),
    chosenIds: chosenIdsOf(chosenIds, dialect),
    hasItemV1: itemV1,
    operations: createOperations(stepMs),
  };
}

/** A mistake of the sandbox itself; a client that went away has nobody left to be told. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.headersSent) {
    response.destroy();
    return;
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  send(response, json(500, { error: { code: 'Internal_ServerError', message } }));
}
