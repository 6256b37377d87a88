import { stringify } from 'lossless-json';
import { asUpstreamError, canResend, isLockConflict, UpstreamError } from '../errors.ts';
import { classifyAbsence } from '../http/absence.ts';
import type { Access } from '../http/auth/access.ts';
import type { CallPart, UpstreamCall } from '../http/call.ts';
import type { UpstreamClient } from '../http/client.ts';
import { badResponseError } from '../http/errors.ts';
import { inheritRequestId } from '../http/request-ids.ts';
import { readHeaders, type UpstreamResponse } from '../http/response.ts';
import { isJsonObject, type JsonObject } from '../runtime/json.ts';

type MutableCallPart = { -readonly [Name in keyof CallPart]: CallPart[Name] };

export interface BatchPart {
  /** Path and query below the API root, percent-encoded, without a leading slash. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One write of a batch. */
export interface WritePart extends BatchPart {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** Decimals in it are `LosslessNumber`. */
  readonly body?: JsonObject;
}

/** A 2xx response to one part of a batch, or to one call; else the error. */
export type CallResult = UpstreamResponse | UpstreamError;

/** The most parts that the real service accepts (docs/upstream.md). */
export const maxBatchParts = 100;

export type BatchOptions = Pick<UpstreamCall, 'kind' | 'deadline' | 'headers'>;

// Without it, the first failure ends a batch.
const independentParts = { prefer: 'odata.continue-on-error' };
// The real service then carries out the batch in one transaction.
const transaction = { isolation: 'snapshot' };

/**
 * Sends writes once, as one batch, and returns their results in order. A failed part does not stop the others. A part that
 * the response does not have is null: it may have been carried out. Where the upstream has no batches, sends the parts one
 * by one. Throws the `UpstreamError` of a batch that was not carried out at all.
 *
 * In a transaction, a failed part ends it; where the upstream has no batches, it throws.
 */
export async function sendWriteBatch(
  client: UpstreamClient,
  root: string,
  access: Access,
  parts: readonly WritePart[],
  isTransaction: boolean,
): Promise<readonly (CallResult | null)[]> {
  const requests = parts.map(({ body, headers, ...part }, index) => ({
    id: String(index),
    ...part,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body }),
  }));
  const callParts = parts.map(({ method, url }) => ({
    method,
    path: `${root}/${url}`,
    keys: undefined,
    status: 0,
  }));
  try {
    const envelope = stringify({ requests }) as string;
    const results = await sendBatch(client, root, access, callParts, envelope, {
      kind: 'write',
      ...(isTransaction && { headers: transaction }),
    });
    return parts.map((_part, index) => results.get(index) ?? null);
  } catch (error) {
    const failure = asUpstreamError(error);
    if (failure.delivery === 'unknown') return parts.map(() => failure);
    if (isTransaction || !isBatchUnsupported(failure)) throw failure;
    return await sendWritesOneByOne(client, root, access, parts);
  }
}

async function sendWritesOneByOne(
  client: UpstreamClient,
  root: string,
  access: Access,
  parts: readonly WritePart[],
): Promise<readonly CallResult[]> {
  const results: CallResult[] = [];
  let stoppedBy: UpstreamError | null = null;
  for (const { url, body, ...part } of parts) {
    const result: CallResult =
      stoppedBy ?? (await trySend(client, access, { ...part, path: `${root}/${url}`, kind: 'write', body }));
    results.push(result);
    // A temporary failure, such as throttling, stops the rest; a lock on one record does not.
    const isStopping = result instanceof UpstreamError && canResend(result) && !isLockConflict(result);
    if (isStopping || isRouteMissing(result)) stoppedBy = result;
  }
  return results;
}

/** Sends one call, with its retries, and returns an `UpstreamError` as a value. */
export async function trySend(
  client: UpstreamClient,
  access: Access,
  { body, ...call }: Omit<UpstreamCall, 'body' | 'access'> & { readonly body?: JsonObject | undefined },
): Promise<CallResult> {
  try {
    return await client.send({ ...call, access, ...(body && { body: stringify(body) as string }) });
  } catch (error) {
    return asUpstreamError(error);
  }
}

/** Sends one batch, and returns the results by the index of their part; parts missing from the response have none. */
export async function sendBatch(
  client: UpstreamClient,
  root: string,
  access: Access,
  parts: readonly MutableCallPart[],
  body: string,
  options: BatchOptions,
) {
  const response = await client.send({
    method: 'POST',
    path: `${root}/$batch`,
    access,
    headers: independentParts,
    body,
    parts,
    ...options,
  });
  const results = new Map<number, CallResult>();
  const contradicted = new Set<number>();
  for (const entry of parseBatchResponses(access, response)) {
    const index = parts.findIndex((_part, at) => entry.id === String(at) || entry.id === at);
    const part = parts[index];
    if (!part || contradicted.has(index) || typeof entry.status !== 'number') continue;
    const isSuccess = entry.status >= 200 && entry.status <= 299;
    const earlier = results.get(index);
    if (earlier) {
      // Then neither says what happened.
      if (isSuccess === earlier instanceof UpstreamError) {
        contradicted.add(index);
        results.delete(index);
      }
      continue;
    }
    part.status = entry.status;
    const partResponse = {
      status: entry.status,
      headers: inheritRequestId(
        response.headers,
        readHeaders(isJsonObject(entry.headers) ? entry.headers : {}),
      ),
      body: entry.body ?? null,
      bytes: null,
      redact: response.redact,
    };
    results.set(index, isSuccess ? partResponse : client.recordPartFailure(partResponse, access));
  }
  return results;
}

function parseBatchResponses({ upstream }: Access, response: UpstreamResponse): readonly JsonObject[] {
  const { body } = response;
  if (isJsonObject(body) && Array.isArray(body.responses)) return body.responses.filter(isJsonObject);
  throw badResponseError(
    upstream,
    'The upstream responded to a batch with something other than a batch response.',
    response,
  );
}

// The document mentions batches, but not their address.
export const isBatchUnsupported = ({ status }: UpstreamError) =>
  status === 404 || status === 405 || status === 501;

export const isRouteMissing = (result: CallResult): result is UpstreamError =>
  result instanceof UpstreamError && result.status === 404 && classifyAbsence(result) === 'unproven';
