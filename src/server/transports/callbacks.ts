import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { transportError } from '../errors.ts';
import type { Executor } from '../execution/executor.ts';
import { type ConnectionLimiter, connectionKeyOf } from '../load/connection-limits.ts';
import { onResponseClosed } from '../load/request-slots.ts';
import type { UnreadEventLimiter } from '../load/unread-events.ts';
import type { GraphqlRequest } from '../request.ts';
import {
  type CallbackMessage,
  callbackProtocol,
  type Delivery,
  formatMessage,
  postMessage,
  type SendRequest,
} from './callback-messages.ts';
import { type CallbackTarget, readCallbackTarget } from './callback-request.ts';
import { sendFailure, tooManyConnections } from './stream-rejections.ts';
import { untilTokenExpires } from './token-expiry.ts';

export interface CallbackOptions {
  readonly executor: Pick<Executor, 'subscribe'>;
  readonly connections: ConnectionLimiter;
  readonly unread: UnreadEventLimiter;
  /** Origins that may be called; none turns callbacks off. */
  readonly origins: readonly string[];
  readonly send: SendRequest;
  readonly log: Logger;
}

/** Subscriptions whose events are posted to a gateway, by the HTTP callback protocol `callback/1.0`. */
export interface Callbacks {
  /** Responds to a subscription that the guard has accepted, and whose slot is held. */
  respond(
    prepared: GraphqlRequest,
    extensions: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown>;
  /** Ends all subscriptions, and tells their gateways to subscribe again. */
  close(): Promise<void>;
}

type Events = AsyncIterableIterator<ExecutionResult>;

// After so many heartbeats without a response, the gateway counts as gone.
const maxMissedHeartbeats = 3;
// A gateway that waits for one heartbeat in each interval must not wait for the network as well.
const heartbeatShare = 0.75;
const completionTimeoutMs = 10_000;

export function createCallbacks(options: CallbackOptions): Callbacks {
  const { connections, origins, executor, send } = options;
  const open = new Set<OpenCallback>();
  let isClosing = false;

  return {
    async respond(prepared, extensions, request, reply) {
      const { caller } = prepared;
      const refuse = (status: number, message: string, code: string) =>
        reply.code(status).send(transportError(message, code, request.id));
      const target = readCallbackTarget(extensions, origins);
      if ('fault' in target) return refuse(400, target.fault, 'BAD_USER_INPUT');
      const release = isClosing ? null : connections.acquireBoth('eventStreams', caller);
      if (!release) return sendFailure(tooManyConnections, request, reply.header('retry-after', '1'));
      const stopped = new AbortController();
      onResponseClosed(reply.raw, () => {
        // The gateway has left: it has not read that it is subscribed.
        if (!reply.raw.writableFinished) stopped.abort();
      });
      try {
        if (!(await verify(send, target, stopped.signal))) {
          release();
          return refuse(400, notVerified, 'BAD_USER_INPUT');
        }
        const events = await executor.subscribe(prepared);
        if (isClosing) {
          release();
          if ('next' in events) void events.return?.();
          return refuse(503, restarting.message, restarting.code);
        }
        reply.header('subscription-protocol', callbackProtocol).type(callbackMediaType);
        if (!('next' in events)) {
          release();
          return reply.send({ ...events, data: undefined });
        }
        const callback = new OpenCallback(
          prepared,
          target,
          untilTokenExpires(events, caller),
          stopped,
          options,
        );
        open.add(callback);
        caller.slot?.release();
        onResponseClosed(reply.raw, () => {
          void callback.run().finally(() => {
            open.delete(callback);
            release();
          });
        });
        return reply.send({ data: null });
      } catch (error) {
        release();
        throw error;
      }
    },
    async close() {
      isClosing = true;
      await Promise.all([...open].map((callback) => callback.complete(restarting)));
    },
  };
}

/** Whether the gateway confirms that it has the subscription. */
async function verify(send: SendRequest, target: CallbackTarget, signal: AbortSignal): Promise<boolean> {
  const check = formatMessage(target, { action: 'check' });
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(verificationTimeoutMs)]);
  for (const delayMs of verificationDelaysMs) {
    await sleep(delayMs);
    if ((await postMessage(send, target, check, inTime, 0)) === 'accepted') return true;
  }
  return false;
}

const verificationTimeoutMs = 5_000;
// A gateway may take messages only a moment after it has sent its request.
const verificationDelaysMs = [0, 100, 500];

/** A subscription that runs. */
class OpenCallback {
  readonly #prepared: GraphqlRequest;
  readonly #target: CallbackTarget;
  readonly #events: Events;
  readonly #stopped: AbortController;
  readonly #options: CallbackOptions;

  constructor(
    prepared: GraphqlRequest,
    target: CallbackTarget,
    events: Events,
    stopped: AbortController,
    options: CallbackOptions,
  ) {
    this.#prepared = prepared;
    this.#target = target;
    this.#events = events;
    this.#stopped = stopped;
    this.#options = options;
  }

  /** Posts the events one after another, then `complete`; nothing if the gateway has left. Never rejects. */
  async run(): Promise<void> {
    if (this.#stopped.signal.aborted) return this.#stop();
    const stopHeartbeats = this.#startHeartbeats();
    try {
      for await (const payload of this.#events) {
        const delivery = await this.#postEvent(payload);
        if (delivery === 'refused') return;
        if (delivery === 'failed') return await this.complete(notTaken);
      }
      await this.complete();
    } catch (err) {
      this.#options.log.error({ requestId: this.#prepared.caller.requestId, err });
      await this.complete(unexpected);
    } finally {
      stopHeartbeats();
      this.#stop();
    }
  }

  /** Ends the subscription, and says so to the gateway; with an error, why. Nothing is posted after it. */
  async complete(reason?: Readonly<{ message: string; code: string }>): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    this.#stop();
    const { requestId } = this.#prepared.caller;
    const errors = reason && [
      new GraphQLError(reason.message, { extensions: { code: reason.code, requestId } }),
    ];
    const message: CallbackMessage = { action: 'complete', ...(errors && { errors }) };
    const deadline = AbortSignal.timeout(completionTimeoutMs);
    await postMessage(this.#options.send, this.#target, formatMessage(this.#target, message), deadline, 1);
  }

  async #postEvent(payload: ExecutionResult): Promise<Delivery> {
    const key = connectionKeyOf(this.#prepared.caller);
    const event = await this.#options.unread.reserve(key, () => void this.complete(notTaken));
    try {
      const body = formatMessage(this.#target, { action: 'next', payload });
      event.setSize(Buffer.byteLength(body));
      return await this.#post(body);
    } finally {
      event.release();
    }
  }

  #post(body: string, retries?: number): Promise<Delivery> {
    return postMessage(this.#options.send, this.#target, body, this.#stopped.signal, retries);
  }

  #stop(): void {
    this.#stopped.abort();
    void this.#events.return?.();
  }

  /** Asks the gateway at each interval whether it still has the subscription, and ends it if not. */
  #startHeartbeats(): () => void {
    const { heartbeatMs } = this.#target;
    if (heartbeatMs === 0) return () => {};
    const check = formatMessage(this.#target, { action: 'check' });
    let missed = 0;
    let isWaiting = false;
    const beat = async () => {
      if (isWaiting) return;
      isWaiting = true;
      const delivery = await this.#post(check, 0);
      isWaiting = false;
      missed = delivery === 'failed' ? missed + 1 : 0;
      if (delivery === 'refused' || missed === maxMissedHeartbeats) this.#stop();
    };
    const timer = setInterval(beat, heartbeatMs * heartbeatShare);
    return () => clearInterval(timer);
  }
}

const callbackMediaType = 'application/json; callbackSpec=1.0; charset=utf-8';

const notVerified =
  'The address in `callbackUrl` did not confirm the subscription: it must respond to the message `check` with 204. Is it reachable from here?';

const restarting = { message: 'The server is restarting. Subscribe again.', code: 'OVERLOADED' };
const notTaken = {
  message: 'The gateway did not take an event in time. Subscribe again.',
  code: 'OVERLOADED',
};
const unexpected = {
  message: 'Internal error. The operators can find the cause by the requestId.',
  code: 'INTERNAL_SERVER_ERROR',
};
