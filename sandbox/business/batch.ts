import { ApiError, badRequestError, methodNotAllowedError } from '../api-error.ts';
import { type ApiRequest, type ApiResponse, hasJsonContentType, splitTarget } from '../http.ts';
import { stringifyExactJson } from '../json.ts';
import { checkFields, isAnything, isJsonObject, isText, readExactJsonObject } from '../json-checks.ts';
import { derivedGuid } from '../seeded.ts';
import { splitRoute } from './entity-sets.ts';
import type { Store } from './store.ts';

/** Handles a part of a batch by calling `execute`. Returns undefined to omit it from the response. */
export type PartHandler = (
  method: string,
  target: string,
  carryOut: () => ApiResponse,
) => ApiResponse | undefined;

/** The parts of a batch run on `store`. A failed transaction restores it. */
interface BatchData {
  store: Store;
}

type BatchPart = ReturnType<typeof readPart>;

/** The limit of the real service (gap: see docs/upstream.md). */
const maxParts = 100;

const partChecks = {
  id: (value: unknown): value is string | null => value === null || isText(value),
  method: (value: unknown): value is string => isText(value) && /^[A-Z]+$/i.test(value),
  url: (value: unknown): value is string => isText(value) && isPartUrl(value),
  headers: (value: unknown): value is Record<string, string> =>
    isJsonObject(value) && Object.values(value).every(isText),
  body: isAnything,
};

/** True for `…/$batch` directly under a route, or under a version that does not exist. */
export function isBatchPath(path: string): boolean {
  const rest = splitRoute(path)?.rest ?? path.replace(/^\/api\/[^/]+\//, '');
  return rest.toLowerCase() === '$batch';
}

/**
 * Handles an OData JSON batch (gap: see docs/upstream.md). Parts run sequentially, each as a request of its
 * own. The batch stops after the first part that fails, unless it prefers `odata.continue-on-error`. With
 * `Isolation: snapshot`, a failure rolls back all parts.
 */
export function handleBatch(
  request: ApiRequest,
  data: BatchData,
  handleRequest: (part: ApiRequest) => ApiResponse,
  handlePart: PartHandler,
): ApiResponse {
  checkBatchRequest(request);
  const root = request.path.slice(0, request.path.lastIndexOf('/'));
  const parts = readParts(readExactJsonObject(request.body));
  const snapshot = /^snapshot$/i.test(headerValue(request, 'isolation')) ? data.store.snapshot() : undefined;
  const continuesOnError = /(^|[,;\s])odata\.continue-on-error(?!\s*=\s*false)\b/i.test(
    headerValue(request, 'prefer'),
  );
  const responses: string[] = [];
  let hasFailed = false;

  for (const [index, part] of parts.entries()) {
    if (hasFailed && !continuesOnError) break;
    const target = `${root}/${part.url}`;
    const execute = () => handleRequest(toRequest(part, target, request, index));
    const response = handlePart(part.method, target, execute);
    if (!response) continue;
    hasFailed ||= response.status >= 400;
    responses.push(partResponse(part.id, response));
  }
  if (snapshot && hasFailed) data.store = snapshot;
  const body = `{"responses":[${responses.join(',')}]}`;
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

function checkBatchRequest(request: ApiRequest): void {
  if (request.method !== 'POST') throw methodNotAllowedError(request.method, '$batch', 'Collection', 'POST');
  if (!hasJsonContentType(request)) {
    throw new ApiError(415, 'BadRequest', 'The content type of a batch must be application/json.');
  }
  // The real service responds with multipart/mixed by default, which the sandbox does not support.
  if (!/application\/json/i.test(headerValue(request, 'accept'))) {
    throw new ApiError(
      406,
      'BadRequest',
      "The response of a batch is JSON only: send the header 'Accept: application/json'.",
    );
  }
}

function readParts(body: Record<string, unknown>): BatchPart[] {
  const { requests } = body;
  if (!Array.isArray(requests)) throw badRequestError("A batch is an object with an array 'requests'.");
  if (requests.length > maxParts) {
    throw new ApiError(
      400,
      'Unknown',
      `The current batch message contains too many parts. A maximum number of '${maxParts}' query operations and change sets are allowed in a batch message.`,
    );
  }
  const parts = requests.map(readPart);
  const ids = parts.flatMap(({ id }) => (id === null ? [] : [id]));
  if (new Set(ids).size < ids.length) throw badRequestError('Two requests of a batch have the same id.');
  return parts;
}

function readPart(value: unknown, index: number) {
  const given = { method: undefined, url: undefined, ...(isJsonObject(value) ? value : {}) };
  const {
    id = null,
    method = '',
    url = '',
    headers = {},
    body,
  } = checkFields(`request ${index} of the batch`, given, partChecks);
  return {
    id,
    method: method.toUpperCase(),
    url,
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text])),
    body: body === undefined ? '' : stringifyExactJson(body),
  };
}

/** True for a URL without a leading slash or a scheme that can be part of a request line, and is no batch itself. */
function isPartUrl(url: string): boolean {
  const isRelative = /^[\x21-\x7e]+$/.test(url) && !/^(\/|[a-z][a-z\d+.-]*:)/i.test(url);
  return isRelative && splitTarget(url).path.toLowerCase() !== '$batch';
}

/** The authorization is that of the batch. All other headers are those of the part. */
function toRequest(part: BatchPart, target: string, batch: ApiRequest, index: number): ApiRequest {
  const { authorization } = batch.headers;
  const { authorization: _own, ...headers } = part.headers;
  return {
    method: part.method,
    ...splitTarget(target),
    headers: authorization === undefined ? headers : { ...headers, authorization },
    body: part.body,
    bytes: new Uint8Array(),
    origin: batch.origin,
    requestId: derivedGuid(`${batch.requestId}:${index}`),
  };
}

/**
 * Serializes the response of a part. A JSON body is copied with all its digits, any other body becomes a
 * string.
 */
function partResponse(id: string | null, { status, headers, body }: ApiResponse): string {
  const rest = JSON.stringify({ id, status, headers });
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  if (text === '') return rest;
  const isJsonBody = /^application\/json\b/i.test(headers['content-type'] ?? '') && isValidJson(text);
  return `${rest.slice(0, -1)},"body":${isJsonBody ? text : JSON.stringify(text)}}`;
}

/** Faults can produce a body that is not valid JSON. */
function isValidJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function headerValue(request: ApiRequest, name: string): string {
  return String(request.headers[name] ?? '').trim();
}
