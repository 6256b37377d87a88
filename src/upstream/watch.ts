import type { ErrorCode, UpstreamName } from '../errors.ts';
import type { Answer } from './answer.ts';
import type { Call, Client } from './client.ts';

/** How an attempt ended. */
export interface AttemptEnd {
  /** Null where no answer came. */
  readonly status: number | null;
  /** Null where it went well. */
  readonly code: ErrorCode | null;
}

/** Follows one attempt of a call. */
export interface AttemptWatch {
  /** What is sent with it, beside its own headers. */
  readonly headers?: Readonly<Record<string, string>>;
  end(end: AttemptEnd): void;
}

/** Follows the upstream calls of one operation, each attempt by itself. */
export interface CallWatch {
  /**
   * An attempt begins; the first of a call is number 1. `discreet` is what to do to a path before a caller sees it: the
   * upstream may have written a part of it.
   */
  begin(upstream: UpstreamName, call: Call, attempt: number, discreet: Answer['discreet']): AttemptWatch;
}

/** A client whose calls are followed. */
export function watched(client: Client, upstream: UpstreamName, watches: readonly CallWatch[]): Client {
  const begin = (call: Call, attempt: number, discreet: Answer['discreet']): AttemptWatch => {
    const all = watches.map((watch) => watch.begin(upstream, call, attempt, discreet));
    return {
      headers: Object.assign({}, ...all.map(({ headers }) => headers)),
      end(how) {
        for (const each of all) each.end(how);
      },
    };
  };
  return {
    ...client,
    send: (call) => client.send({ ...call, begin: (attempt, discreet) => begin(call, attempt, discreet) }),
  };
}
