import { readFileSync, statSync } from 'node:fs';
import { routePattern } from '../business/record-files/record-file.ts';
import type { OutboundFetch } from '../http/wire/outbound-fetch.ts';
import { xmlLimits } from '../metadata/csdl/xml.ts';
import { version } from '../runtime/version.ts';
import { AddingError, toPrintable, usageError } from './adding-error.ts';

/** A service's address: `{url}/api/{route}/…`. */
export interface ServiceAddress {
  readonly url: string;
  /** The route that the address names; null where it names none. */
  readonly route: string | null;
}

const maxTokenBytes = 64 * 1024;
const timeoutMs = 30_000;

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
  if (named !== null && !routePattern.test(named))
    throw usageError(
      `--url names the route ${JSON.stringify(toPrintable(named))}: expected v2.0 or {publisher}/{group}/v1.0 after /api/.`,
    );
  return { url: url.origin + before, route: named };
}

/** Reads a token from a file. The text of an error never holds it. */
export function readToken(path: string): string {
  const text = readBounded(path, '--token-file', maxTokenBytes).toString('utf8').trim();
  // RFC 6750, section 2.1; anything else cannot be in a header.
  if (!/^[\w.~+/-]+=*$/.test(text))
    throw usageError(`--token-file ${toPrintable(path)} does not hold one bearer token, and nothing else.`);
  return text;
}

export const readMetadataFile = (path: string): Uint8Array =>
  readBounded(path, '--metadata', xmlLimits.bytes);

/** Reads `$metadata` of a route by one call. The token is sent to that address only, so redirects are not followed. */
export async function fetchMetadata(
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
