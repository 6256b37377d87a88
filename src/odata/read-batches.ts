import { asUpstreamError, UpstreamError } from '../errors.ts';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamClient } from '../http/client.ts';
import { badResponseError } from '../http/errors.ts';
import { isResponseTooLong } from '../http/transport-errors.ts';
import {
  type BatchOptions,
  type BatchPart,
  type CallResult,
  isBatchUnsupported,
  isRouteMissing,
  sendBatch,
  trySend,
} from './batch.ts';

/** One read of a batch. */
export interface ReadPart extends BatchPart {
  /** How many keys it looks up; for explanations and metrics. */
  readonly keys: number | undefined;
}

/** Reads that are sent as one batch. */
export interface ReadBatch extends BatchOptions {
  readonly parts: readonly ReadPart[];
}

// How often missing parts are requested, for an upstream that responds to a part at a time, or stops at each failure.
const maxRounds = 5;
// Each halving doubles the calls. Without a limit, an upstream that fails at any size would get two calls per read.
const maxFailedHalvings = 2;

const abandonedFailures = new WeakSet<UpstreamError>();

/** Whether this is the failure of a batch that was halved in vain. */
export const hasHalvingFailed = (failure: UpstreamError): boolean => abandonedFailures.has(failure);

/**
 * Sends reads as OData JSON batches to `{root}/$batch`, in parallel, and returns for each batch the results of its reads in
 * order.
 *
 * Reads can safely be repeated: a batch that timed out at the upstream, or whose response was too long, is halved; parts
 * missing from a response are requested again; where the upstream has no batches, the parts are sent one by one. Halving
 * ends when all batches sent in parallel have failed in the same way twice in a row.
 */
export function sendReadBatches(
  client: UpstreamClient,
  root: string,
  access: Access,
  batches: readonly ReadBatch[],
): readonly Promise<readonly CallResult[]>[] {
  /** Returns an error in place of results where the batch was too large. */
  const send = async (
    { parts, ...options }: ReadBatch,
    rounds: number,
  ): Promise<readonly CallResult[] | UpstreamError> => {
    try {
      const requests = parts.map(({ url, headers }, index) => ({
        id: String(index),
        method: 'GET',
        url,
        headers,
      }));
      const callParts = parts.map(({ url, keys }) => ({
        method: 'GET',
        path: `${root}/${url}`,
        keys,
        status: 0,
      }));
      const body = JSON.stringify({ requests });
      const results = await sendBatch(client, root, access, callParts, body, options);
      const missing = parts.filter((_part, index) => !results.has(index));
      if (missing.length === parts.length || (missing.length > 0 && rounds === 1))
        throw badResponseError(access.upstream, 'The upstream did not respond to all parts of a batch.');
      const pending = missing.length === 0 ? [] : sendAll([{ ...options, parts: missing }], rounds - 1, 0);
      const rest = (await Promise.all(pending)).flat();
      return parts.map((_part, index) => (results.get(index) ?? rest.shift()) as CallResult);
    } catch (error) {
      const failure = asUpstreamError(error);
      if (isBatchTooLarge(failure)) return failure;
      if (!isBatchUnsupported(failure)) return parts.map(() => failure);
      return await sendOneByOne({ parts, ...options });
    }
  };

  const sendOneByOne = async ({ parts, ...options }: ReadBatch): Promise<readonly CallResult[]> => {
    const [one, ...others] = parts.map((part) => ({ ...toSingleRead(root, part), ...options }));
    if (!one) return [];
    const first = await trySend(client, access, one);
    // Then it is not only the route of batches that is missing.
    if (isRouteMissing(first)) return parts.map(() => first);
    return [first, ...(await Promise.all(others.map((other) => trySend(client, access, other))))];
  };

  const sendAll = (
    some: readonly ReadBatch[],
    rounds: number,
    failedBefore: number,
  ): readonly Promise<readonly CallResult[]>[] => {
    const sent = some.map((batch) => send(batch, rounds));
    return some.map(async ({ parts, ...options }, index) => {
      const outcome = await (sent[index] as (typeof sent)[number]);
      if (!(outcome instanceof UpstreamError)) return outcome;
      if (parts.length === 1) return [outcome];
      const failed = haveFailedAlike(await Promise.all(sent)) ? failedBefore + 1 : 0;
      if (failed === maxFailedHalvings) {
        abandonedFailures.add(outcome);
        return parts.map(() => outcome);
      }
      const middle = Math.ceil(parts.length / 2);
      const halves = [parts.slice(0, middle), parts.slice(middle)].map((half) => ({
        ...options,
        parts: half,
      }));
      return (await Promise.all(sendAll(halves, rounds, failed))).flat();
    });
  };

  return sendAll(batches, maxRounds, 0);
}

function haveFailedAlike(outcomes: readonly (readonly CallResult[] | UpstreamError)[]): boolean {
  const [first] = outcomes;
  if (outcomes.length === 1 || !(first instanceof UpstreamError)) return false;
  return outcomes.every((each) => each instanceof UpstreamError && each.status === first.status);
}

const toSingleRead = (root: string, { url, headers, keys }: ReadPart) => ({
  method: 'GET' as const,
  path: `${root}/${url}`,
  headers,
  ...(keys !== undefined && { keys }),
});

const isBatchTooLarge = (error: UpstreamError) => error.status === 504 || isResponseTooLong(error);
