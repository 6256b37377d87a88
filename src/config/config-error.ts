/** An invalid, missing or forbidden setting. */
export interface ConfigMistake {
  readonly variable: string;
  /** What is wrong and what to do, with the setting's name. Never contains a secret. */
  readonly message: string;
}

/** All mistakes in the settings at once, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: readonly ConfigMistake[];

  constructor(mistakes: readonly ConfigMistake[]) {
    super(mistakes.map(({ message }) => message).join('\n'));
    this.mistakes = mistakes;
  }
}

/** A setting with an invalid value. `value` is null for secrets. */
export const invalidSetting = (variable: string, value: string | null, expected: string): ConfigMistake => ({
  variable,
  message: `${variable}${value === null ? '' : ` is ${JSON.stringify(value)}`}: expected ${expected}.`,
});

/** A setting that another setting requires. */
export const missingSetting = (variable: string, condition: string): ConfigMistake => ({
  variable,
  message: `${variable} is required ${condition}.`,
});

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
