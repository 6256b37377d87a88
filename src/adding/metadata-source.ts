import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { routePattern } from '../business/record-files/record-file.ts';
import { readDefinitions } from '../metadata/definitions.ts';
import { findInvalidUtf8Line } from '../runtime/utf8.ts';
import { AddingError, toPrintable, usageError } from './adding-error.ts';
import { parseOrNull, readRows, type Service, type ServiceAnswer } from './service.ts';

/** A service's address: `{url}/api/{route}/…`. */
export interface ServiceAddress {
  readonly url: string;
  /** The route that the address names; null where it names none. */
  readonly route: string | null;
}

export interface Metadata {
  readonly csdl: Uint8Array;
  /** The `entityDefinitions` of the service; undefined where it has none. */
  readonly definitions: unknown;
  readonly source: string;
  readonly notes: readonly string[];
}

const maxMetadataBytes = 64 * 1024 * 1024;
const maxTokenBytes = 64 * 1024;

/** Reads the address that `--url` names: of the service, of its API (`…/api/v2.0`), or of its `$metadata`. */
export function parseServiceUrl(text: string): ServiceAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageError(`--url is ${JSON.stringify(toPrintable(text))}: expected an http or https URL.`);
  if (url.username !== '' || url.password !== '')
    throw usageError('--url has credentials in it. Remove them and put a token in the file of --token-file.');
  if (url.search !== '' || url.hash !== '')
    throw usageError('--url has a query or a fragment. Give the address without it.');
  const path = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/(?:\$|%24)metadata$/i, '');
  const [, before = path, named = null] = /^(.*?)\/api\/(.+)$/.exec(path) ?? [];
  if (named === null) return { url: url.origin + path, route: null };
  const route = decodeURIComponent(named);
  if (!routePattern.test(route))
    throw usageError(
      `--url names the route ${JSON.stringify(toPrintable(route))}: expected v2.0 or {publisher}/{group}/v1.0 after /api/.`,
    );
  return { url: url.origin + before, route };
}

/** Reads a token from a file. The text of an error never holds it. */
export function readToken(path: string): string {
  const text = readBounded(path, '--token-file', maxTokenBytes).toString('utf8').trim();
  // RFC 6750, section 2.1; anything else cannot be in a header.
  if (!/^[\w.~+/-]+=*$/.test(text))
    throw usageError(`--token-file ${toPrintable(path)} does not hold one bearer token, and nothing else.`);
  return text;
}

export const readMetadataFile = (path: string): Metadata => ({
  csdl: readBounded(path, '--metadata', maxMetadataBytes),
  definitions: undefined,
  source: toPrintable(basename(path)),
  notes: [],
});

/** Reads `$metadata` of a route and, where the service has them, the captions of its first company. */
export async function fetchMetadata(service: Service, route: string): Promise<Metadata> {
  const path = `/api/${route}/$metadata`;
  const answer = await service.send({ path, accept: 'application/xml', maxBytes: maxMetadataBytes });
  const source = `${service.url}${path}`;
  if (!answer.isOk)
    throw new AddingError(explainRefusal(`${source} was not read`, answer.status, answer.error.message));
  requireXml(answer, source);
  const definitions = await fetchDefinitions(service, route);
  return {
    csdl: answer.bytes,
    definitions,
    source: source.slice(0, 500),
    notes:
      definitions === undefined
        ? ['The service has no entityDefinitions that can be read: descriptions come from names.']
        : [],
  };
}

/** Throws where a response is no XML, or has an encoding that is not read. */
function requireXml({ text, headers }: Extract<ServiceAnswer, { isOk: true }>, source: string): void {
  const type = toPrintable(headers.get('content-type') ?? '', 80);
  if (/^\s*<(?:!DOCTYPE\s+)?html\b/i.test(text))
    throw new AddingError(
      `${source} answers with an HTML page${type && ` (${type})`}, not with metadata: it may ask to sign in. Check --url, and put a valid token in --token-file.`,
    );
  // Above what the document says itself (RFC 7303, 3.2).
  const [, charset] = /;\s*charset="?([^\s";]+)/i.exec(type) ?? [];
  if (charset !== undefined && !/^(?:utf-8|utf8|us-ascii|utf-16(?:le|be)?)$/i.test(charset))
    throw new AddingError(
      `${source} answers in the encoding ${charset}: only UTF-8 and UTF-16 are read. Convert the document, and name it with --metadata.`,
    );
}

/** A sentence about a response that ends the command. */
export function explainRefusal(
  what: string,
  status: number,
  message: string,
  /** What the address of the request was made of. */
  made = '--url and --route',
): string {
  if (status === 401)
    return `${what}: the service does not accept the token (401). Put a valid one in --token-file.`;
  if (status === 403)
    return `${what}: the service does not allow this caller to read it (403). Use a token with permission to read.`;
  if (status === 404) return `${what}: the service has nothing at this address (404). Check ${made}.`;
  return `${what}: the service responded with ${status}. ${toPrintable(message)}`;
}

// Of the whole service, or of a company. Whatever goes wrong, descriptions are made of names.
async function fetchDefinitions(service: Service, route: string): Promise<unknown> {
  try {
    const shared = await service.send({
      path: `/api/${route}/entityDefinitions`,
      maxBytes: maxMetadataBytes,
    });
    const ofService = definitionsOf(shared);
    if (ofService !== undefined) return ofService;
    const companies = await service.send({ path: `/api/${route}/companies?$select=id&$top=1` });
    const id = companies.isOk ? readRows(companies.text)?.[0]?.id : undefined;
    if (typeof id !== 'string') return undefined;
    const answer = await service.send({
      path: `/api/${route}/companies(${encodeURIComponent(id)})/entityDefinitions`,
      maxBytes: maxMetadataBytes,
    });
    return definitionsOf(answer);
  } catch (error) {
    if (error instanceof AddingError) return undefined;
    throw error;
  }
}

/** The definitions of a response; undefined where it has none, or none that can be read. */
function definitionsOf(answer: ServiceAnswer): unknown {
  if (!answer.isOk || !readRows(answer.text) || findInvalidUtf8Line(answer.bytes) !== null) return undefined;
  const definitions = parseOrNull(answer.text);
  try {
    readDefinitions(definitions);
    return definitions;
  } catch {
    return undefined;
  }
}

function readBounded(path: string, option: string, maxBytes: number): Buffer {
  try {
    const status = statSync(path);
    // A pipe would never end.
    if (!status.isFile()) throw usageError(`${option} ${toPrintable(path)} is not a file.`);
    if (status.size > maxBytes)
      throw usageError(`${option} ${toPrintable(path)} is longer than ${maxBytes} bytes.`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof AddingError) throw error;
    throw usageError(
      `${option} ${toPrintable(path)} cannot be read: ${(error as NodeJS.ErrnoException).code}.`,
    );
  }
}
