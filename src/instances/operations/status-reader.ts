import { InputError, UpstreamError } from '../../errors.ts';
import type { Access } from '../../http/auth/access.ts';
import type { UpstreamClient } from '../../http/client.ts';
import { isTransient } from '../../http/errors.ts';
import { leavesBase } from '../../http/path-segment.ts';
import { redactData } from '../../http/redaction.ts';
import { type ResponseHeaders, readRetryAfter, type UpstreamResponse } from '../../http/response.ts';
import { isJsonObject, stringOrNull } from '../../runtime/json.ts';
import { isFinished, parseOperationStatus, type StepRecord } from './operation-status.ts';

// Services of this kind require clients to accept 4 KB. A longer address would not fit into a handle.
const maxAddressLength = 4096;

/** The address of an operation's status. Handles contain it, so the names of these fields cannot change. */
export interface StatusAddress {
  /** Path and query below the management address, byte for byte. */
  readonly path: string;
  /**
   * True for an address from the header `Location`, which returns the result of the action, and 202 until then. Any other
   * address returns the status.
   */
  readonly isResult: boolean;
}

/**
 * Finds the status address in the headers of a response; null without one.
 *
 * `<vendor>-AsyncOperation` takes precedence over `Location`. The host is removed: the status is read from the configured
 * upstream only, because the caller's token is sent with the request.
 */
export function findStatusAddress(headers: ResponseHeaders, managementUrl: string): StatusAddress | null {
  const named = Object.keys(headers).filter((name) => name.toLowerCase().endsWith('-asyncoperation'));
  for (const name of [...named, 'location']) {
    // A repeated header is an array, or a list that an intermediary has joined. An address contains no blank.
    const values = [headers[name] ?? []].flat().flatMap((value) => value.split(/,\s+/));
    const path = values.map((value) => toLocalPath(value, managementUrl)).find((local) => local !== null);
    if (path) return { path, isResult: name === 'location' };
  }
  return null;
}

/** Builds the path and query of a status read. An address without a query gets the configured `api-version`. */
const buildStatusPath = ({ path }: StatusAddress, apiVersion: string): string =>
  /\?./.test(path) ? path : `${path.replace('?', '')}?api-version=${encodeURIComponent(apiVersion)}`;

function toLocalPath(value: string, managementUrl: string): string | null {
  if (value.length > maxAddressLength || !/^[\x21-\x7e]+$/.test(value)) return null;
  const local = value.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, '').replace(/#.*$/, '');
  if (local === '') return null;
  const rooted = local.startsWith('/') ? local : `/${local}`;
  const prefix = new URL(managementUrl).pathname.replace(/\/$/, '');
  const path = prefix !== '' && rooted.startsWith(`${prefix}/`) ? rooted.slice(prefix.length) : rooted;
  return leavesBase(path) ? null : path;
}

export interface StatusReading {
  /** Null if the upstream has no status record yet, or returned no body. */
  readonly step: StepRecord | null;
  readonly at: StatusAddress;
  /** How long the upstream asks to wait before the next read; null if it does not ask. */
  readonly waitMs: number | null;
}

export interface StatusReaderOptions {
  readonly client: UpstreamClient;
  readonly managementUrl: string;
  readonly apiVersion: string;
  readonly access: Access;
}

// A status record may appear with a delay; until then, a read returns 404.
const notFoundGraceMs = 60_000;
// The largest difference between the clock of the replica that sent the action and the clock here.
const clockToleranceMs = 300_000;
// An operation may move to another address; the old one is then no longer updated.
const maxMoves = 3;

export interface StatusQuery {
  readonly at: StatusAddress;
  /** When the action was sent, in milliseconds since 1970, on the clock of the replica that sent it. */
  readonly sentAt: number;
  /** How long this replica has followed the operation, in milliseconds; 0 for a single read. */
  readonly followedMs: number;
}

/** Reads the status of an operation. Follows the operation if it has moved to another address. */
export async function readStatus(
  { client, managementUrl, apiVersion, access }: StatusReaderOptions,
  { at, sentAt, followedMs }: StatusQuery,
): Promise<StatusReading> {
  const read = async (address: StatusAddress): Promise<StatusReading> => {
    const { isResult } = address;
    const path = buildStatusPath(address, apiVersion);
    const displayPath = 'the status address in the handle';
    const response = await client.send({ method: 'GET', path, kind: 'poll', displayPath, access });
    const next = findStatusAddress(response.headers, managementUrl);
    return {
      step: toStep({ ...response, body: redactData(response) }, isResult),
      // In a status response, `Location` is the address of the result, not of the next status.
      at: next === null || (next.isResult && !isResult) ? address : next,
      waitMs: toWaitMs(readRetryAfter(response.headers, Date.now())),
    };
  };

  try {
    let reading = await read(at);
    const seen = new Set([withoutQuery(at)]);
    while (hasMoved(reading, seen)) {
      seen.add(withoutQuery(reading.at));
      const next = await read(reading.at).catch(nullIfTransient);
      if (next === null) break;
      reading = next;
    }
    return reading;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (error.status === 404) {
      if (followedMs < notFoundGraceMs && Date.now() - sentAt < notFoundGraceMs + clockToleranceMs)
        return { step: null, at, waitMs: toWaitMs(error.retryAfterSeconds) };
      throw new InputError('The upstream no longer has this operation.', 'OPERATION_EXPIRED');
    }
    if (isTransient(error)) throw error;
    // At a result address, this error is the result of the action, which has failed.
    if (at.isResult && error.code === 'UPSTREAM_REJECTED' && error.detail)
      return { step: parseOperationStatus({ error: error.detail }), at, waitMs: null };
    throw error;
  }
}

/** Converts a Retry-After to milliseconds; null if it is missing or 0. */
const toWaitMs = (seconds: number | null): number | null => (seconds ? seconds * 1000 : null);

/** Reads the step in a response; null without a body. A 204, or the resource in place of a status, means success. */
export function toStep({ status, body }: UpstreamResponse, isResult: boolean): StepRecord | null {
  const step = parseOperationStatus(body);
  const hasEnded = status === 204 || (status !== 202 && (isResult || isResource(body)));
  if (hasEnded && step.status === null && !isFinished(step.state)) return { ...step, state: 'SUCCEEDED' };
  return body === null && !isResult ? null : step;
}

const isResource = (body: unknown): boolean =>
  isJsonObject(body) && stringOrNull(body.type) !== null && isJsonObject(body.properties);

const withoutQuery = ({ path }: StatusAddress): string => path.replace(/\?.*$/s, '');

// An address that differs in its query only has not moved but got a new signature.
function hasMoved({ step, at }: StatusReading, seen: ReadonlySet<string>): boolean {
  const isOpen = step === null || !isFinished(step.state);
  return isOpen && !seen.has(withoutQuery(at)) && seen.size <= maxMoves;
}

function nullIfTransient(error: unknown): null {
  if (error instanceof UpstreamError && (isTransient(error) || error.status === 404)) return null;
  throw error;
}
