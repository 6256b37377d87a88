/** A mistake in the settings: an invalid, missing, unknown or forbidden one. */
export interface ConfigMistake {
  readonly variable: string;
  /** Says what is wrong and what to do, with the name of the setting. Never contains a secret. */
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

/** A setting with an invalid value. `value` is null if it may be secret. */
export const invalidSetting = (variable: string, value: string | null, expected: string): ConfigMistake => ({
  variable,
  message: `${variable}${value === null ? '' : ` is ${JSON.stringify(value)}`}: expected ${expected}.`,
});

/** A setting that another setting requires. */
export const missingSetting = (variable: string, condition: string): ConfigMistake => ({
  variable,
  message: `${variable} is required ${condition}.`,
});

/** Returns an invalid value for a message; null if it may contain credentials, or keys in a query or fragment. */
export function hideSecrets(text: string): string | null {
  const [, ...afterScheme] = text.split(':');
  return /@|%40/.test(afterScheme.join()) || /[?#]/.test(text) ? null : text;
}

/** Hides the query of a URL, which may contain keys. */
export const hideQuery = (url: string): string => url.replace(/\?.*$/s, '?…');
