// It chooses a tenant (docs/operations.md), and is no secret.
const readableParameter = /^[?&]tenant(=|$)|^[?&]([^=]+=)?$/i;

/** A text that may be a URL, without the values of its query, which may be keys or signatures. */
export const hideQueryValues = (text: string): string =>
  text.replace(/\?.*$/s, (query) =>
    query.replace(/([?&](?:[^=&#]*=)?)[^&#]*/g, (parameter, name: string) =>
      readableParameter.test(parameter) ? parameter : `${name}…`,
    ),
  );

/** A refused value without what is a secret where it is meant to be a URL, which it need not have the form of. */
export const hideUrlSecrets = (text: string): string =>
  hideFragment(hideQueryValues(text.replace(/^(https?:\/*)?.*(?:@|%40)/is, '$1…@')));

/** A fragment with a value, such as an access token. */
function hideFragment(text: string): string {
  const start = text.indexOf('#');
  return start !== -1 && text.includes('=', start) ? `${text.slice(0, start)}#…` : text;
}

/** A text that is clearly a path, or null: it may be the secret itself, which was meant to be in the file. */
export const showPath = (text: string): string | null =>
  /^(\.{0,2}\/|~\/|\.{0,2}\\|[a-z]:\\)[^\p{Cc}]*$/iu.test(text) ||
  /^[\w/-]+\.(txt|pem|key|crt|env|json)$/.test(text)
    ? text
    : null;
