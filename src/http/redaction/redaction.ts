import { mapStrings } from '../../runtime/json.ts';
import type { Redact } from '../response.ts';
import { createFragmentRedactor } from './token-fragments.ts';
import { redactedToken, redactTokenPatterns } from './token-patterns.ts';

// A shorter token may be a common word: it is redacted only as a whole word. Only a sandbox has such tokens.
const shortTokenLength = 8;
// A shorter token is not long enough to be recognized by a fragment in an encoding.
const longTokenLength = 24;
/** Characters per response; text beyond that is dropped. `redactData` refuses longer responses. */
export const maxRedactedLength = 2 * 1024 * 1024;
// Words that rows of a list repeat, such as states, are searched once.
const maxRepeatedLength = 100;

/** Creates the redaction of one token or other secret. */
function createSecretRedactor(secret: string): Redact {
  if (secret.length < shortTokenLength) {
    const word = new RegExp(`(?<!\\w)${escapeRegExp(secret)}(?!\\w)`, 'g');
    // Programs compare a code.
    return (text, name) => (name === 'code' ? text : text.replace(word, redactedToken));
  }
  const cutFragments = createFragmentRedactor(secret);
  if (secret.length >= longTokenLength) return (text) => cutFragments(text.replaceAll(secret, redactedToken));
  const forms = new RegExp([...new Set(encodeSecret(secret))].map(escapeRegExp).join('|'), 'gi');
  return (text) => cutFragments(text.replace(forms, redactedToken));
}

const guidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

// A GUID holds no fragment of a JWT: twelve hexadecimal digits in a row are almost never found in one. Each traced call has a
// GUID, and creating the redactor for its token takes longer than all other work of tracing.
const isUnrelatedGuid = (token: string, text: string): boolean =>
  token.startsWith('eyJ') && guidPattern.test(text);

/** The forms of a secret in JSON, URLs and Base64, where its first byte may be at any position of a Base64 group. */
function encodeSecret(secret: string): readonly string[] {
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return (['base64', 'base64url'] as const).map((alphabet) => bytes.toString(alphabet).slice(from, to));
  });
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), ...inBase64];
}

/**
 * Creates the redactors for texts of one upstream, which remove its address, the token it was sent, other secrets, and
 * anything shaped like a bearer token. In a `code`, which programs compare, only what cannot be a word is redacted.
 */
export function createRedaction(url: string, secrets: readonly string[]): (token: string) => Redact {
  const { hostname, port } = new URL(url);
  const host = escapeRegExp(hostname);
  const address = new RegExp(port === '' ? host : `${host}(:${port})?`, 'gi');
  const ownCuts = secrets.map(createSecretRedactor);
  return (token) => {
    // Created when first needed: most responses are not redacted.
    let cuts: readonly Redact[] | undefined;
    let left = maxRedactedLength;
    const known = new Map<string, string>();
    const redact: Redact = (text, name) => {
      if (isUnrelatedGuid(token, text)) return ownCuts.reduce((rest, cut) => cut(rest, name), text);
      cuts ??= [createSecretRedactor(token), ...ownCuts];
      const shown = name === 'code' ? text : text.replace(address, '[upstream]');
      return cuts.reduce((rest, cut) => cut(rest, name), redactTokenPatterns(shown));
    };
    return (text, name) => {
      left -= text.length;
      if (left < 0) return '';
      if (name === 'code' || text.length > maxRepeatedLength) return redact(text, name);
      let shown = known.get(text);
      if (shown === undefined) {
        shown = redact(text, name);
        known.set(text, shown);
      }
      return shown;
    };
  };
}

/**
 * Removes the token from business data, where it stands in it verbatim. Data is not redacted otherwise: it may hold anything
 * that looks like a token, and must not be changed.
 */
export function removeToken(body: unknown, text: string, token: string): unknown {
  if (token.length < shortTokenLength) return body;
  if (!text.includes(findUnescapedPart(token))) return body;
  return mapStrings(body, (value) => value.replaceAll(token, redactedToken));
}

/** A part of a token that JSON never escapes. Taken from the end: tokens begin alike, and end differently. */
function findUnescapedPart(token: string): string {
  const end = token.slice(-longTokenLength);
  if (/^[\w.~-]+$/.test(end)) return end;
  const parts = token.match(/[\w.~-]+/g) ?? [''];
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest));
}

const escapeRegExp = (text: string) => text.replace(/[^\w-]/g, '\\$&');
