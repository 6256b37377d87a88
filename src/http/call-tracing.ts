import type { UpstreamName } from '../errors.ts';
import type { AttemptObserver, CallPart, ExplainedRelation, UpstreamCall } from './call.ts';
import type { UpstreamClient } from './client.ts';
import type { Redact } from './response.ts';

/** Observes the upstream calls of one GraphQL operation. */
export interface CallObserver {
  /**
   * Called when an attempt starts; the first of a call is number 1. Apply `redact` to a path before a caller sees it: parts
   * of it may come from the upstream.
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
      // The spread is last, as in `guard.ts`.
      client.send({ startAttempt: (attempt, redact) => startAttempt(call, attempt, redact), ...call }),
  };
}

/** One upstream call as `tributary-explain: 1` shows it, without host, headers and token. */
export interface ExplainedCall {
  readonly upstream: UpstreamName;
  readonly method: string;
  /** Path and query, percent-encoded as sent; the status address of an instance operation is replaced. */
  readonly path: string;
  /** Null without a response. */
  status: number | null;
  /** From sending the request to the last byte of the response. */
  milliseconds: number;
  /** How many keys the call looks up, if it looks up keys. */
  readonly keys?: number;
  /** The decompressed length of the response body, and its number of rows; null without a response or a list. */
  bytes: number | null;
  rows: number | null;
  /** How each expandable relation of the rows is read: with the rows or by key. */
  readonly relations?: readonly ExplainedRelation[];
  readonly parts?: readonly ExplainedPart[];
}

interface ExplainedPart extends Omit<CallPart, 'relations'> {
  readonly relations?: readonly ExplainedRelation[];
}

/** Adds every attempt of every call to `calls`. */
export const createExplainObserver = (calls: ExplainedCall[]): CallObserver => ({
  startAttempt(upstream, { method, path, displayPath, keys, relations, parts }, _attempt, redact) {
    const startedAt = performance.now();
    const explained: ExplainedCall = {
      upstream,
      method,
      path: displayPath ?? redact(path, 'path'),
      status: null,
      milliseconds: 0,
      bytes: null,
      rows: null,
      ...explainRelations(relations),
      ...(keys !== undefined && { keys }),
      ...(parts && { parts: parts.map((part) => explainPart(part, redact)) }),
    };
    calls.push(explained);
    return {
      onEnd({ status, bytes = null, rows = null }) {
        Object.assign(explained, { status, bytes, rows });
        explained.milliseconds = Math.round((performance.now() - startedAt) * 10) / 10;
      },
    };
  },
});

// The status of a part is known only after the batch has ended.
const explainPart = (part: CallPart, redact: Redact): ExplainedPart => ({
  ...explainRelations(part.relations),
  method: part.method,
  path: redact(part.path, 'path'),
  keys: part.keys,
  get status() {
    return part.status;
  },
});

function explainRelations(relations: CallPart['relations']) {
  const explained = relations?.() ?? [];
  return explained.length > 0 ? { relations: explained } : {};
}
