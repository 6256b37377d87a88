import { InputError, UpstreamError } from '../../errors.ts';
import type { Access } from '../../http/auth/access.ts';
import type { UpstreamClient } from '../../http/client.ts';
import { isTransient } from '../../http/errors.ts';
import { leavesBase } from '../../http/path-segment.ts';
import { redactData } from '../../http/redaction.ts';
import { type ResponseHeaders, readRetryAfter, type UpstreamResponse } from '../../http/response.ts';
import { isJsonObject, stringOrNull } from '../../runtime/json.ts';
import { isFinished, parseOperationStatus, type StepRecord } from './operation-status.ts';

// Services of this kind require clients to accept at least 4 KB. A longer address would not fit into a handle.
const maxAddressLength = 4096;

/** Where the status of an operation is read. Handles contain it, so the names of these fields cannot change. */
export interface StatusAddress {
  /** Path and query below the management address, byte for byte. */
  readonly path: string;
  /**
   * True where the header `Location` named it: the upstream responds there with the result of the action, and with 202
   * until then. Any other address returns the status.
   */
  readonly isResult: boolean;
}

/**
 * Finds the status address in the headers of a response; null where they name none.
 *
 * `<vendor>-AsyncOperation` takes precedence over `Location`. The host that a header names is removed: the address is
 * read from the configured upstream only, because the caller's token is sent with it.
 */
export function findStatusAddress(headers: ResponseHeaders, managementUrl: string): StatusAddress | null {
  const named = Object.keys(headers).filter((name) => name.toLowerCase().endsWith('-asyncoperation'));
  for (const name of [...named, 'location']) {
    // A header that occurs twice is an array, or was joined by an intermediary: no address contains a blank.
    const values = [headers[name] ?? []].flat().flatMap((value) => value.split(/,\s+/));
    const path = values.map((value) => toLocalPath(value, managementUrl)).find((local) => local !== null);
    if (path) return { path, isResult: name === 'location' };
  }
  return null;
}

/** Path and query of a status read: the address as it is. An address without a query gets the configured `api-version`. */
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

/** What one read of an operation's status has found. */
export interface StatusReading {
  /** Null where the upstream has no status record yet, or returned no body. */
  readonly step: StepRecord | null;
  /** Where to read next. */
  readonly at: StatusAddress;
  /** How long the upstream asks to wait before that; null where it does not say. */
  readonly waitMs: number | null;
}

export interface StatusReaderOptions {
  readonly client: UpstreamClient;
  readonly managementUrl: string;
  readonly apiVersion: string;
  readonly access: Access;
}

// A status record may appear with a delay: until then, a read is answered 404.
const notFoundGraceMs = 60_000;
// By how much the clock of the replica that sent the action may differ from the clock here.
const clockToleranceMs = 300_000;
// An operation may move to another address, and its old one is then no longer updated.
const maxMoves = 3;

/** Which operation is read. */
export interface StatusQuery {
  readonly at: StatusAddress;
  /** When the action was sent, by the clock of the replica that sent it: milliseconds since 1970. */
  readonly sentAt: number;
  /** For how long it has been followed here, in milliseconds; 0 for a single read. */
  readonly followedMs: number;
}

/** Reads the status of an operation, at its new address where it has moved. */
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
      // Beside a status, `Location` names where the result will be, not the next status address.
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
    // A result address: this error is the response to the action itself, which failed.
    if (at.isResult && error.code === 'UPSTREAM_REJECTED' && error.detail)
      return { step: parseOperationStatus({ error: error.detail }), at, waitMs: null };
    throw error;
  }
}

/** Converts a Retry-After to milliseconds; null where there is none, or it is 0. */
const toWaitMs = (seconds: number | null): number | null => (seconds ? seconds * 1000 : null);

/** The step in a response; null where that has no body. Without a status, a 204 or the resource itself means the end. */
export function toStep({ status, body }: UpstreamResponse, isResult: boolean): StepRecord | null {
  const step = parseOperationStatus(body);
  const isEnd = status === 204 || (status !== 202 && (isResult || isResource(body)));
  if (isEnd && step.status === null && !isFinished(step.state)) return { ...step, state: 'SUCCEEDED' };
  return body === null && !isResult ? null : step;
}

const isResource = (body: unknown): boolean =>
  isJsonObject(body) && stringOrNull(body.type) !== null && isJsonObject(body.properties);

const withoutQuery = ({ path }: StatusAddress): string => path.replace(/\?.*$/s, '');

// An address that differs in its query alone has a new signature, and is the same.
function hasMoved({ step, at }: StatusReading, seen: ReadonlySet<string>): boolean {
  const isOpen = step === null || !isFinished(step.state);
  return isOpen && !seen.has(withoutQuery(at)) && seen.size <= maxMoves;
}

function nullIfTransient(error: unknown): null {
  if (error instanceof UpstreamError && (isTransient(error) || error.status === 404)) return null;
  throw error;
}
