import type { IncomingHttpHeaders } from 'node:http';
import type { Answer, Call } from '../http.ts';
import { isJson, splitTarget } from '../http.ts';
import { exactJson, parseExactly } from '../json.ts';
import { badRequest, Refusal } from '../refusal.ts';
import { derivedGuid } from '../seeded.ts';
import { isJsonObject, readJsonObject } from './field-values.ts';
import type { Store } from './store.ts';
import { idOf } from './store.ts';

/** Answers one part of a batch by what `carryOut` does, or undefined to leave it out of the batch's answer. */
export type PartAnswerer = (method: string, target: string, carryOut: () => Answer) => Answer | undefined;

/** What a batch works on: its parts run on `store`, which a failed transaction puts back. */
interface BatchData {
  store: Store;
}

interface Part {
  readonly id: string | null;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The most parts the real service takes (gap: see docs/upstream.md). */
const maxParts = 100;

const members = ['id', 'method', 'url', 'headers', 'body'];

/** True for `…/$batch` directly under the root of a version. */
export function isBatchPath(path: string): boolean {
  return /^\/api\/[^/]+\/\$batch$/i.test(path);
}

/**
 * Answers an OData JSON batch (gap: see docs/upstream.md). Parts run one after another and each as a
 * request of its own; the first that fails is the last, unless the batch prefers
 * `odata.continue-on-error`. With `Isolation: snapshot` one failure takes back what all have done.
 */
export function answerBatch(
  call: Call,
  data: BatchData,
  answer: (part: Call) => Answer,
  answerPart: PartAnswerer,
): Answer {
  expectEnvelope(call);
  const root = call.path.slice(0, call.path.lastIndexOf('/'));
  const parts = readParts(readJsonObject(call.body, parseExactly));
  const before = /^snapshot$/i.test(headerOf(call, 'isolation')) ? data.store.snapshot() : undefined;
  const goesOn = /(^|[,;\s])odata\.continue-on-error(?!\s*=\s*false)\b/i.test(headerOf(call, 'prefer'));
  const responses: string[] = [];
  let hasFailed = false;

  for (const [index, part] of parts.entries()) {
    if (hasFailed && !goesOn) break;
    const target = `${root}/${withCompany(part, data.store)}`;
    const carryOut = () => answer(callOf(part, target, call, index));
    const answered = answerPart(part.method, target, carryOut);
    if (!answered) continue;
    hasFailed ||= answered.status >= 400;
    responses.push(shown(part.id, answered));
  }
  if (before && hasFailed) data.store = before;
  const body = `{"responses":[${responses.join(',')}]}`;
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

function expectEnvelope(call: Call): void {
  if (call.method !== 'POST') {
    throw new Refusal(
      405,
      'BadRequest_MethodNotAllowed',
      `'${call.method}' requests for '$batch' are not allowed within the OData web services.`,
      { headers: { allow: 'POST' } },
    );
  }
  if (!isJson(call)) {
    throw new Refusal(415, 'BadRequest', 'The content type of a batch must be application/json.');
  }
  // The real service would answer multipart/mixed, which is not offered here.
  if (!/application\/json/i.test(headerOf(call, 'accept'))) {
    throw new Refusal(
      406,
      'BadRequest',
      "A batch is answered as JSON only: send the header 'Accept: application/json'.",
    );
  }
}

function readParts(body: Record<string, unknown>): Part[] {
  const { requests } = body;
  if (!Array.isArray(requests)) throw badRequest("A batch is an object with an array 'requests'.");
  if (requests.length > maxParts) {
    throw new Refusal(
      400,
      'Unknown',
      `The current batch message contains too many parts. A maximum number of '${maxParts}' query operations and change sets are allowed in a batch message.`,
    );
  }
  const parts = requests.map(readPart);
  const ids = parts.flatMap(({ id }) => (id === null ? [] : [id]));
  if (new Set(ids).size < ids.length) throw badRequest('Two requests of a batch have the same id.');
  return parts;
}

function readPart(value: unknown, index: number): Part {
  const name = `The request at ${index} of the batch`;
  if (!isJsonObject(value)) throw badRequest(`${name} is not an object.`);
  const { id = null, method, url, headers = {}, body } = value;
  const unknown = Object.keys(value).find((member) => !members.includes(member));
  if (unknown !== undefined) throw badRequest(`${name} has a member '${unknown}', which is not supported.`);
  if (id !== null && typeof id !== 'string') throw badRequest(`${name} has an id that is no text.`);
  if (typeof method !== 'string' || !/^[A-Z]+$/i.test(method)) throw badRequest(`${name} has no method.`);
  if (typeof url !== 'string' || !isRelative(url)) {
    throw badRequest(`${name} needs a url relative to the service root, percent-encoded as in a request.`);
  }
  if (isBatchPath(`/api/v/${splitTarget(url).path}`)) throw badRequest(`${name} is a batch itself.`);
  return {
    id,
    method: method.toUpperCase(),
    url,
    headers: readHeaders(headers, name),
    body: body === undefined ? '' : exactJson(body),
  };
}

function readHeaders(headers: unknown, name: string): IncomingHttpHeaders {
  if (!isJsonObject(headers) || Object.values(headers).some((value) => typeof value !== 'string')) {
    throw badRequest(`${name} has headers that are no object of texts.`);
  }
  const entries = Object.entries(headers as Record<string, string>);
  return Object.fromEntries(entries.map(([header, value]) => [header.toLowerCase(), value]));
}

/** No slash or scheme at its beginning, and nothing that could not stand in a request line. */
function isRelative(url: string): boolean {
  return /^[\x21-\x7e]+$/.test(url) && !/^(\/|[a-z][a-z\d+.-]*:)/i.test(url);
}

/** A part may name its company, by name or id, in a header instead of the address. */
function withCompany({ url, headers }: Part, store: Store): string {
  const given = headers.company;
  if (given === undefined || /^companies\b/.test(url)) return url;
  const company = [...store.companies.values()].find(
    ({ record }) => record.values.name === given || idOf(record) === String(given).toLowerCase(),
  );
  return company ? `companies(${idOf(company.record)})/${url}` : url;
}

/** The caller is the one of the batch; every other header is the part's own. */
function callOf(part: Part, target: string, batch: Call, index: number): Call {
  const { authorization } = batch.headers;
  const { authorization: _own, ...headers } = part.headers;
  return {
    method: part.method,
    ...splitTarget(target),
    headers: authorization === undefined ? headers : { ...headers, authorization },
    body: part.body,
    isBodyTooLarge: false,
    origin: batch.origin,
    requestId: derivedGuid(`${batch.requestId}:${index}`),
  };
}

/** An answer inside the answer: JSON digit by digit as it is, anything else as text, nothing as no body. */
function shown(id: string | null, { status, headers, body }: Answer): string {
  const rest = JSON.stringify({ id, status, headers });
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  if (text === '') return rest;
  const isJsonBody = /^application\/json\b/i.test(headers['content-type'] ?? '') && isValidJson(text);
  return `${rest.slice(0, -1)},"body":${isJsonBody ? text : JSON.stringify(text)}}`;
}

/** Only a fault can call something JSON that is not. */
function isValidJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function headerOf(call: Call, name: string): string {
  return String(call.headers[name] ?? '').trim();
}
