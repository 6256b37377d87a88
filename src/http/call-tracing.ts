import type { UpstreamName } from '../errors.ts';
import type { AttemptObserver, UpstreamCall } from './call.ts';
import type { UpstreamClient } from './client.ts';
import type { Redact } from './response.ts';

/** Observes the upstream calls of one GraphQL operation. */
export interface CallObserver {
  /**
   * Called as each attempt starts; the first of a call is number 1. Apply `redact` to a path before a caller sees it: the
   * upstream may have written a part of it.
   */
  startAttempt(upstream: UpstreamName, call: UpstreamCall, attempt: number, redact: Redact): AttemptObserver;
}

/** Wraps a client so that the observers see each attempt of its calls. */
export function observeClient(
  client: UpstreamClient,
  upstream: UpstreamName,
  observers: readonly CallObserver[],
): UpstreamClient {
  const startAttempt = (call: UpstreamCall, attempt: number, redact: Redact): AttemptObserver => {
    const started = observers.map((observer) => observer.startAttempt(upstream, call, attempt, redact));
    return {
      headers: Object.assign({}, ...started.map(({ headers }) => headers)),
      onEnd(result) {
        for (const observer of started) observer.onEnd(result);
      },
    };
  };
  return {
    ...client,
    send: (call) =>
      client.send({ ...call, startAttempt: (attempt, redact) => startAttempt(call, attempt, redact) }),
  };
}
