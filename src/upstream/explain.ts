import { UpstreamError, type UpstreamName } from '../errors.ts';
import type { Client, PartNote } from './client.ts';

/** One upstream call as `tributary-explain: 1` shows it. Never a host, a header or a token. */
export interface ExplainedCall {
  readonly upstream: UpstreamName;
  readonly method: string;
  /** Path and query, percent-encoded as they were sent; an operation's status address is not shown. */
  readonly path: string;
  /** Null where no answer came. */
  status: number | null;
  /** From the sending to the last byte of the answer. */
  milliseconds: number;
  /** How many keys were looked up by it, where it looked up keys. */
  readonly keys?: number;
  readonly parts?: readonly PartNote[];
}

/** A client that also notes every call it sends. */
export function explained(client: Client, upstream: UpstreamName, calls: ExplainedCall[]): Client {
  return {
    ...client,
    async send(call) {
      const { method, path, shownAs, keys, parts } = call;
      const startedAt = performance.now();
      const note: ExplainedCall = {
        upstream,
        method,
        path: shownAs ?? path,
        status: null,
        milliseconds: 0,
        ...(keys !== undefined && { keys }),
        ...(parts && { parts }),
      };
      calls.push(note);
      try {
        const answer = await client.send(call);
        note.status = answer.status;
        return answer;
      } catch (error) {
        if (error instanceof UpstreamError) note.status = error.status;
        throw error;
      } finally {
        note.milliseconds = Math.round((performance.now() - startedAt) * 10) / 10;
      }
    },
  };
}
