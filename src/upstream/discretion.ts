import type { Answer } from './answer.ts';
import { mapTexts } from './json.ts';
import { createFragmentCutter } from './token-fragments.ts';
import { cutOut, withoutTokenShapes } from './token-shapes.ts';

// Of a shorter token only whole words are hidden: it may be a word, and is a sandbox's at best.
const shortToken = 8;
// A shorter one has too few letters to be known by a part of it.
const longToken = 24;
// What an answer's texts may have in all, in characters; more is not shown.
const maxExamined = 256 * 1024;

type Cut = (text: string, name: string) => string;

/** Cuts one token, or another secret, out of the texts of an upstream. */
function createSecretCutter(secret: string): Cut {
  if (secret.length < shortToken) {
    const word = new RegExp(`(?<!\\w)${literally(secret)}(?!\\w)`, 'g');
    // Programs decide by a code.
    return (text, name) => (name === 'code' ? text : text.replace(word, cutOut));
  }
  const cutFragments = createFragmentCutter(secret);
  if (secret.length >= longToken) return (text) => cutFragments(text.replaceAll(secret, cutOut));
  const forms = new RegExp([...new Set(formsOf(secret))].map(literally).join('|'), 'gi');
  return (text) => cutFragments(text.replace(forms, cutOut));
}

/** How an address may write a secret, and JSON, and Base64 that begins anywhere before it. */
function formsOf(secret: string): readonly string[] {
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return (['base64', 'base64url'] as const).map((alphabet) => bytes.toString(alphabet).slice(from, to));
  });
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), ...inBase64];
}

/**
 * Makes what is done to the texts of an answer before a caller sees them: no address of the upstream, nothing of the token
 * it was sent or of the secrets, and nothing shaped like a bearer token. Of a `code`, by which programs decide, only what
 * can be no word is changed.
 */
export function createDiscretion(
  url: string,
  secrets: readonly string[],
): (token: string) => Answer['discreet'] {
  const { hostname, port } = new URL(url);
  const host = literally(hostname);
  const address = new RegExp(port === '' ? host : `${host}(:${port})?`, 'gi');
  const ownCuts = secrets.map(createSecretCutter);
  return (token) => {
    // Made for what needs it: most answers are read by columns.
    let cuts: readonly Cut[] | undefined;
    let left = maxExamined;
    return (text, name) => {
      cuts ??= [createSecretCutter(token), ...ownCuts];
      left -= text.length;
      if (left < 0) return '';
      const shown = name === 'code' ? text : text.replace(address, '[upstream]');
      return cuts.reduce((rest, cut) => cut(rest, name), withoutTokenShapes(shown));
    };
  };
}

/**
 * A body of business data without the token, where it stands in it as it is. Nothing else is done to data: it may hold
 * whatever looks like a token, and is not to be changed.
 */
export function withoutToken(body: unknown, text: string, token: string): unknown {
  if (token.length < shortToken) return body;
  if (!text.includes(unescapedPartOf(token))) return body;
  return mapTexts(body, (value) => value.replaceAll(token, cutOut));
}

/** A part that JSON may not write otherwise. The beginnings of tokens are much the same, their ends are not. */
function unescapedPartOf(token: string): string {
  const end = token.slice(-longToken);
  if (/^[\w.~-]+$/.test(end)) return end;
  const parts = token.match(/[\w.~-]+/g) ?? [''];
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest));
}

const literally = (text: string) => text.replace(/[^\w-]/g, '\\$&');
