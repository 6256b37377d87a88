import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { odataNamePattern, routePattern } from '../business/declarations/mistakes.ts';
import type { OutboundFetch } from '../http/wire/outbound-fetch.ts';
import { version } from '../runtime/version.ts';
import { draftDeclaration, type KnownType } from './draft.ts';
import { parseMetadata } from './metadata.ts';
import { MetadataError, xmlLimits } from './xml.ts';

/** The arguments of `tributary add`. */
export interface AddArguments {
  /** As the metadata spells it. */
  readonly entitySet: string;
  /** A CSDL file, in place of `url`. */
  readonly metadata?: string;
  /** A service: its base URL, that of an API (`…/api/v2.0`), or that of its `$metadata`. */
  readonly url?: string;
  /** Holds the bearer token for the service. */
  readonly tokenFile?: string;
  /** `v2.0` by default, or `{publisher}/{group}/{version}` of a custom API. */
  readonly route?: string;
  /** The folder of the file; `records` by default. */
  readonly out?: string;
}

/** What the command works with. */
export interface AddingContext {
  /** The record types of the graph. */
  readonly known: readonly KnownType[];
  readonly fetch: OutboundFetch;
  print(text: string): void;
}

/** Runs `tributary add`. Throws an `AddingError` where nothing was written. */
export async function addRecordType(
  args: AddArguments,
  { known, fetch, print }: AddingContext,
): Promise<void> {
  const { entitySet, metadata, url, tokenFile, out = 'records' } = args;
  const route = checkArguments(args);
  const path = join(out, `${entitySet}.graphql`);
  if (existsSync(path))
    throw new AddingError(
      `${toPrintable(path)} exists, and is not overwritten. Remove it, or name another folder with --out.`,
    );
  const existing = known.find((each) => each.route === route && each.entitySet === entitySet);
  if (existing)
    throw usageError(`${entitySet} of ${route} is the type ${existing.type} of the graph already.`);
  const csdl =
    metadata === undefined
      ? await fetchMetadata(
          { url: parseServiceUrl(url ?? '').url, route },
          tokenFile === undefined ? null : readToken(tokenFile),
          fetch,
        )
      : readBounded(metadata, '--metadata', xmlLimits.bytes);
  const declaration = draft(csdl, entitySet, route, known);
  write(path, declaration);
  print(`Wrote ${toPrintable(path)}. Review it before RECORD_TYPES names it:`);
  for (const [line] of declaration.matchAll(/^#.*$/gm)) print(toPrintable(line.replace('#', '-')));
}

/** Checks the arguments together, and returns the route. Throws an `AddingError` with the exit code 2. */
function checkArguments({ entitySet, metadata, url, tokenFile, route }: AddArguments): string {
  if (!odataNamePattern.test(entitySet))
    throw usageError(`${JSON.stringify(toPrintable(entitySet))} is not the name of an entity set.`);
  if ((metadata === undefined) === (url === undefined))
    throw usageError('Name the metadata with --metadata <file>, or the service with --url <url>.');
  if (url === undefined && tokenFile !== undefined) throw usageError('--token-file needs --url.');
  if (route !== undefined && !routePattern.test(route))
    throw usageError(
      `--route is ${JSON.stringify(toPrintable(route))}: expected v2.0 or {publisher}/{group}/v1.0.`,
    );
  const named = url === undefined ? null : parseServiceUrl(url).route;
  if (named !== null && route !== undefined && named !== route)
    throw usageError(`--url names the route ${named}, and --route ${route}. Leave out one of them.`);
  return named ?? route ?? 'v2.0';
}

function draft(csdl: Uint8Array, entitySet: string, route: string, known: readonly KnownType[]): string {
  try {
    return draftDeclaration(parseMetadata(csdl), entitySet, { route, known });
  } catch (error) {
    if (error instanceof MetadataError) throw new AddingError(toPrintable(error.message));
    throw error;
  }
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    throw new AddingError(
      `${toPrintable(path)} cannot be written: ${(error as NodeJS.ErrnoException).code}.`,
    );
  }
}

/** A service's address: `{url}/api/{route}/…`. */
export interface ServiceAddress {
  readonly url: string;
  /** The route in the address; null without one. */
  readonly route: string | null;
}

const maxTokenBytes = 64 * 1024;
const timeoutMs = 30_000;

/** Reads the address that `--url` names: of the service, of its API (`…/api/v2.0`), or of its `$metadata`. */
function parseServiceUrl(text: string): ServiceAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageError(`--url is ${JSON.stringify(toPrintable(text))}: expected an http or https URL.`);
  if (url.username !== '' || url.password !== '')
    throw usageError('--url has credentials in it. Remove them and put a token in the file of --token-file.');
  if (url.search !== '' || url.hash !== '')
    throw usageError('--url has a query or a fragment. Give the address without it.');
  const path = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/(?:\$|%24)metadata$/i, '');
  const [, before = path, named = null] = /^(.*?)\/api\/(.+)$/.exec(path) ?? [];
  if (named !== null && !routePattern.test(named))
    throw usageError(
      `--url names the route ${JSON.stringify(toPrintable(named))}: expected v2.0 or {publisher}/{group}/v1.0 after /api/.`,
    );
  return { url: url.origin + before, route: named };
}

/** Reads a token from a file. The text of an error never holds it. */
function readToken(path: string): string {
  const text = readBounded(path, '--token-file', maxTokenBytes).toString('utf8').trim();
  // RFC 6750, section 2.1; anything else cannot be in a header.
  if (!/^[\w.~+/-]+=*$/.test(text))
    throw usageError(`--token-file ${toPrintable(path)} does not hold one bearer token, and nothing else.`);
  return text;
}

/** Reads `$metadata` of a route by one call. The token is sent to that address only, so redirects are not followed. */
async function fetchMetadata(
  { url, route }: { readonly url: string; readonly route: string },
  token: string | null,
  fetch: OutboundFetch,
): Promise<Uint8Array> {
  const address = `${url}/api/${route}/$metadata`;
  try {
    const response = await fetch(address, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        accept: 'application/xml',
        'user-agent': `tributary/${version}`,
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new AddingError(explainRefusal(toPrintable(address), response.status));
    }
    return await readBytes(response, address);
  } catch (error) {
    if (error instanceof AddingError) throw error;
    const { name, message, cause } = error as Error;
    const reason =
      name === 'TimeoutError'
        ? `it did not answer within ${timeoutMs / 1_000} s`
        : cause instanceof Error
          ? cause.message || cause.name
          : message;
    throw new AddingError(`No answer from ${toPrintable(address)}: ${toPrintable(reason)}.`);
  }
}

function explainRefusal(address: string, status: number): string {
  const what = `${address} was not read: the service`;
  if (status >= 300 && status <= 399)
    return `${what} redirects (${status}), which is not followed. Give the URL of the service itself.`;
  if (status === 401) return `${what} does not accept the token (401). Put a valid one in --token-file.`;
  if (status === 403)
    return `${what} does not allow this caller to read it (403). Use a token with permission to read.`;
  if (status === 404) return `${what} has nothing at this address (404). Check --url and --route.`;
  return `${what} responded with ${status}.`;
}

async function readBytes(response: Response, address: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > xmlLimits.bytes)
      throw new AddingError(
        `${toPrintable(address)} answers with more than ${xmlLimits.bytes} bytes, the maximum.`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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

/** Ends the command with a sentence that says what happened and what to do. */
export class AddingError extends Error {
  override readonly name = 'AddingError';
  /** 2 for wrong arguments, as for settings; 1 for anything else. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

const usageError = (message: string): AddingError => new AddingError(message, 2);

// Control characters could move the cursor of a terminal, and bidirectional ones reorder what it shows.
const unprintable = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;
const maxShownLength = 900;

/** A text of the metadata on one line of a terminal: no control characters, and not longer than people read. */
function toPrintable(text: string): string {
  const start = text
    .slice(0, maxShownLength + 1)
    .replace(/\s+/g, ' ')
    .replace(unprintable, '�');
  return start.length > maxShownLength ? `${start.slice(0, maxShownLength - 1)}…` : start;
}
