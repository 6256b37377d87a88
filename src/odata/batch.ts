import { stringify } from 'lossless-json';
import { asUpstreamError, canResend, isLockConflict, UpstreamError } from '../errors.ts';
import { classifyAbsence } from '../http/absence.ts';
import type { Access } from '../http/auth/access.ts';
import type { CallPart, UpstreamCall } from '../http/call.ts';
import type { UpstreamClient } from '../http/client.ts';
import { badResponseError } from '../http/errors.ts';
import { inheritRequestId, readHeaders, type UpstreamResponse } from '../http/response.ts';
import { isResponseTooLong } from '../http/transport-errors.ts';
import { isJsonObject, type JsonObject } from '../runtime/json.ts';

/*
 * Paths of area A: `/api/{route}/companies({id})/{entity set}…`, where a route is `v2.0`, or
 * `{publisher}/{group}/{version}`. No version and slash follow an entity set, so a path has one root.
 */

const rootPattern =
  /^\/api\/(?:[^/()?]{1,100}\/[^/()?]{1,100}\/(?:v\d{1,3}\.\d{1,3}|beta)|v\d{1,3}\.\d{1,3}|beta)(?=\/)/;
const companyStart = '/companies(';

/** The root of an API, such as `/api/v2.0`. */
export const apiRoot = (route: string): string => `/api/${route}`;

/** The API root of a path. A batch addresses only paths below its own root. */
export function apiRootOf(path: string): string {
  const [root] = rootPattern.exec(path) ?? [];
  if (root === undefined) throw new TypeError('a path of area A begins with its API root');
  return root;
}

/** The id of the company in a path; null if the path has none. */
export function companyIdIn(path: string): string | null {
  const below = path.slice(apiRootOf(path).length);
  return below.startsWith(companyStart) ? below.slice(companyStart.length, below.indexOf(')')) : null;
}

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

// By default, the first failure ends a batch (OData 4.01, 8.2.8.3).
const independentParts = { prefer: 'odata.continue-on-error' };
// The real service carries out a batch with this header in one transaction.
const transaction = { isolation: 'snapshot' };

/**
 * Sends writes once, as one batch, and returns their results in order. A failed part does not stop the others. The result of
 * a part that is missing from the response is null: it may have been carried out. If the upstream does not support batches,
 * sends the parts one by one. Throws the `UpstreamError` of a batch that was not carried out at all.
 *
 * In a transaction, a failed part ends the batch. If the upstream does not support batches, a transaction throws.
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
  try {
    const envelope = stringify({ requests }) as string;
    const results = await sendBatch(client, root, access, parts, envelope, {
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
    // A temporary failure, such as throttling, stops the remaining writes. A lock on one record does not.
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

/** Sends one batch, and returns the results by part index. Parts that are missing from the response have no result. */
async function sendBatch(
  client: UpstreamClient,
  root: string,
  access: Access,
  sent: readonly (Partial<WritePart> & Partial<ReadPart> & BatchPart)[],
  body: string,
  options: BatchOptions,
) {
  const parts = sent.map(({ method = 'GET', url, keys, relations }) => ({
    method,
    path: `${root}/${url}`,
    keys,
    relations,
    status: 0,
  }));
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
  for (const entry of parseBatchResponses(access, response)) {
    const index = parts.findIndex((_part, at) => entry.id === String(at) || entry.id === at);
    const part = parts[index];
    if (!part || results.has(index) || typeof entry.status !== 'number') continue;
    const isSuccess = entry.status >= 200 && entry.status <= 299;
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

// The source document mentions batches, but not their URL, so an upstream may lack it.
const isBatchUnsupported = ({ status }: UpstreamError) => status === 404 || status === 405 || status === 501;

const isRouteMissing = (result: CallResult): result is UpstreamError =>
  result instanceof UpstreamError && result.status === 404 && classifyAbsence(result) === 'unproven';

/** One read of a batch. */
export interface ReadPart extends BatchPart {
  /** The number of keys that the read looks up; for explanations and metrics. */
  readonly keys: number | undefined;
  /** How the relations of the rows are read; for explanations. */
  readonly relations: CallPart['relations'];
}

/** Reads that are sent as one batch. */
export interface ReadBatch extends BatchOptions {
  readonly parts: readonly ReadPart[];
}

/**
 * Sends reads as one OData JSON batch to `{root}/$batch`, and returns their results in order.
 *
 * Repeats parts once, because reads are safe: parts that are missing from the response; and, as two halves, a batch that timed
 * out at the upstream or whose response was too long. If the upstream does not support batches, sends the parts one by one.
 */
export async function sendReadBatch(
  client: UpstreamClient,
  root: string,
  access: Access,
  { parts, ...options }: ReadBatch,
  isRepeated = false,
): Promise<readonly CallResult[]> {
  const resend = (some: readonly ReadPart[]) =>
    sendReadBatch(client, root, access, { ...options, parts: some }, true);
  const requests = parts.map(({ url, headers }, index) => ({
    id: String(index),
    method: 'GET',
    url,
    headers,
  }));
  try {
    const results = await sendBatch(client, root, access, parts, JSON.stringify({ requests }), options);
    const missing = parts.filter((_part, index) => !results.has(index));
    const isPartial = missing.length > 0 && missing.length < parts.length;
    const rest =
      isPartial && !isRepeated ? [...(await resend(missing))] : missing.map(() => unansweredPart(access));
    return parts.map((_part, index) => (results.get(index) ?? rest.shift()) as CallResult);
  } catch (error) {
    const failure = asUpstreamError(error);
    if (isBatchUnsupported(failure)) return sendReadsOneByOne(client, root, access, { parts, ...options });
    if (isRepeated || !isBatchTooLarge(failure)) return parts.map(() => failure);
    const middle = Math.ceil(parts.length / 2);
    return (await Promise.all([resend(parts.slice(0, middle)), resend(parts.slice(middle))])).flat();
  }
}

const unansweredPart = ({ upstream }: Access) =>
  badResponseError(upstream, 'The upstream did not respond to this part of a batch.');

async function sendReadsOneByOne(
  client: UpstreamClient,
  root: string,
  access: Access,
  { parts, ...options }: ReadBatch,
): Promise<readonly CallResult[]> {
  const send = ({ url, headers, keys }: ReadPart) =>
    trySend(client, access, { method: 'GET', path: `${root}/${url}`, headers, keys, ...options });
  const [first, ...others] = parts;
  if (!first) return [];
  const result = await send(first);
  // The whole API is missing, not only its route of batches.
  if (isRouteMissing(result)) return parts.map(() => result);
  return [result, ...(await Promise.all(others.map(send)))];
}

const isBatchTooLarge = (error: UpstreamError) => error.status === 504 || isResponseTooLong(error);
