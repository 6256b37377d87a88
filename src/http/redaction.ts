import { mapStrings } from '../runtime/json.ts';
import type { Redact, UpstreamResponse } from './response.ts';

const redactedToken = '[token]';

// A shorter token may be part of a word, so it is redacted only as a whole word. Only a sandbox has such tokens.
const shortTokenLength = 8;

/**
 * Creates redactors for the texts of one upstream. They remove its address, the token it was sent, other secrets, and
 * everything that looks like a bearer token. A `code`, which programs compare, keeps addresses and short tokens.
 */
export function createRedaction(url: string, secrets: readonly string[]): (token: string) => Redact {
  const { hostname, port } = new URL(url);
  const host = escapeRegExp(hostname);
  const address = new RegExp(port === '' ? host : `${host}(:${port})?`, 'gi');
  const redactSecrets = secrets.map(createSecretRedactor);
  return (token) => {
    const redactors = [createSecretRedactor(token), ...redactSecrets];
    return (text, name) => {
      const shown = name === 'code' ? text : text.replace(address, '[upstream]');
      // Known tokens first: a pattern may match only a part of one.
      return redactTokenPatterns(redactors.reduce((rest, redact) => redact(rest, name), shown));
    };
  };
}

function createSecretRedactor(secret: string): Redact {
  if (secret.length >= shortTokenLength) return (text) => text.replaceAll(secret, redactedToken);
  const word = new RegExp(`(?<!\\w)${escapeRegExp(secret)}(?!\\w)`, 'g');
  return (text, name) => (name === 'code' ? text : text.replace(word, redactedToken));
}

// Matches the separators between scheme and credentials in headers, JSON and URLs.
const bearerPattern = /\bbearer(?:[\s:="'+]|%20)+[^\s"'<>,;]+/gi;

// Every JWT begins with `{"` in Base64.
const jwtPattern = /eyJ[\w-]{13,}(?:\.[\w-]*)*/g;

/** Replaces everything that looks like a token: `Bearer …`, and JSON Web Tokens, complete or truncated. */
export const redactTokenPatterns = (text: string): string =>
  text
    .replace(jwtPattern, (found) => (isJwtStart(found) ? redactedToken : found))
    .replace(bearerPattern, (found) => `${found.slice(0, 'bearer'.length)} ${redactedToken}`);

// A word such as `keyJournalEntries` is valid Base64, too, but not of JSON.
const isJwtStart = (text: string): boolean =>
  /^\{"[ -~]+$/.test(Buffer.from(text.slice(0, 16), 'base64url').toString('latin1'));

/** Redacts tokens and addresses of the upstream in the body of a response of area B or C. */
export const redactData = ({ body, redact }: Pick<UpstreamResponse, 'body' | 'redact'>): unknown =>
  mapStrings(body, redact);

/**
 * Removes the token from business data that contains it verbatim. Data is not redacted otherwise, since values that
 * look like a token must not be changed.
 */
export function removeToken(body: unknown, text: string, token: string): unknown {
  if (token.length < shortTokenLength || !text.includes(findUnescapedPart(token))) return body;
  return mapStrings(body, (value) => value.replaceAll(token, redactedToken));
}

/** The longest part of a token that JSON never escapes. */
const findUnescapedPart = (token: string): string =>
  (token.match(/[\w.~-]+/g) ?? ['']).reduce((longest, part) =>
    part.length > longest.length ? part : longest,
  );

const escapeRegExp = (text: string) => text.replace(/[^\w-]/g, '\\$&');
