import type { UpstreamName } from '../errors.ts';
import type { Answer } from './answer.ts';
import type { PartNote } from './client.ts';
import type { CallWatch } from './watch.ts';

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

/** Notes every call, each attempt by itself. */
export const explaining = (calls: ExplainedCall[]): CallWatch => ({
  begin(upstream, { method, path, shownAs, keys, parts }, _attempt, discreet) {
    const startedAt = performance.now();
    const note: ExplainedCall = {
      upstream,
      method,
      path: shownAs ?? discreet(path, 'path'),
      status: null,
      milliseconds: 0,
      ...(keys !== undefined && { keys }),
      ...(parts && { parts: parts.map((part) => shownPart(part, discreet)) }),
    };
    calls.push(note);
    return {
      end({ status }) {
        note.status = status;
        note.milliseconds = Math.round((performance.now() - startedAt) * 10) / 10;
      },
    };
  },
});

// What became of a part is noted later.
const shownPart = (part: PartNote, discreet: Answer['discreet']): PartNote => ({
  method: part.method,
  path: discreet(part.path, 'path'),
  keys: part.keys,
  get status() {
    return part.status;
  },
});
