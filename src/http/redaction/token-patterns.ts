export const redactedToken = '[token]';

// Including the separators between scheme and credentials in headers, JSON and URLs.
const bearerPattern = /\bbearer(?:[\s:="'+]|%20)+[^\s"'<>,;]+/gi;

// `{"` in Base64: every JWT begins with it.
const jwtPrefix = 'eyJ';
const shownLength = 16;
// Wrapped Base64: all lines but the last have the full length.
const jwtRest = /[\w.-]{16,}(?:(?:\r?\n[ \t]{0,8}[\w.-]{32,})+(?:\r?\n[ \t]{0,8}[\w.-]+)?)?/y;

/**
 * Replaces everything that looks like a token: `Bearer …`, and JSON Web Tokens, complete or truncated. Takes time linear
 * in the length of the text.
 */
export function redactTokenPatterns(text: string): string {
  return redactJwts(text).replace(
    bearerPattern,
    (found) => `${found.slice(0, 'bearer'.length)} ${redactedToken}`,
  );
}

function redactJwts(text: string): string {
  let kept = '';
  let keptTo = 0;
  let at = text.indexOf(jwtPrefix);
  while (at !== -1) {
    let next = at + jwtPrefix.length;
    if (isJwtStart(text.slice(at, at + shownLength))) {
      jwtRest.lastIndex = at;
      jwtRest.test(text);
      next = jwtRest.lastIndex;
      kept += text.slice(keptTo, at) + redactedToken;
      keptTo = next;
    }
    at = text.indexOf(jwtPrefix, next);
  }
  return kept + text.slice(keptTo);
}

// A word such as `keyJournalEntries` is Base64 too, but not of JSON.
const isJwtStart = (text: string) =>
  /^[\w-]{16}$/.test(text) && /^\{"[ -~]+$/.test(Buffer.from(text, 'base64url').toString('latin1'));
