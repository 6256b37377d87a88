export const cutOut = '[token]';

// With what stands between the scheme and its credentials in headers, JSON and addresses.
const bearer = /\bbearer(?:[\s:="'+]|%20)+[^\s"'<>,;]+/gi;

// `{"` in Base64, with which every JWT begins.
const jwtBegin = 'eyJ';
const shownLength = 16;
// Lines that go on after a line break are as long as those that wrap Base64, but for the last.
const jwtRest = /[\w.-]{16,}(?:(?:\r?\n[ \t]{0,8}[\w.-]{32,})+(?:\r?\n[ \t]{0,8}[\w.-]+)?)?/y;

/**
 * A text of others without anything shaped like a bearer token: `Bearer …`, and JSON Web Tokens, whole or cut. Takes time
 * in proportion to its length.
 */
export function withoutTokenShapes(text: string): string {
  return withoutJwts(text).replace(bearer, (found) => `${found.slice(0, 'bearer'.length)} ${cutOut}`);
}

function withoutJwts(text: string): string {
  let kept = '';
  let keptTo = 0;
  let at = text.indexOf(jwtBegin);
  while (at !== -1) {
    let next = at + jwtBegin.length;
    if (isJsonBegin(text.slice(at, at + shownLength))) {
      jwtRest.lastIndex = at;
      jwtRest.test(text);
      next = jwtRest.lastIndex;
      kept += text.slice(keptTo, at) + cutOut;
      keptTo = next;
    }
    at = text.indexOf(jwtBegin, next);
  }
  return kept + text.slice(keptTo);
}

// A name such as `keyJournalEntries` is Base64, too, but of no JSON.
const isJsonBegin = (text: string) =>
  /^[\w-]{16}$/.test(text) && /^\{"[ -~]+$/.test(Buffer.from(text, 'base64url').toString('latin1'));
