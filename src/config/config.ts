import { ConfigError, type ConfigMistake, hideSecrets, invalidSetting } from './config-error.ts';
import { type Constants, constants } from './constants.ts';
import { findCertificateMistake, findMissingSettings } from './requirements.ts';
import { emptyAllowedSettings, fileSettings, findVariable, secretSettings } from './setting-names.ts';
import { type Settings, settingsSchema } from './settings.ts';
import { findUnknownSettings } from './unknown-settings.ts';

/** The settings, and the constants of all deployments. */
export type Config = Settings & Constants;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from environment variables. An empty variable counts as unset, except in `emptyAllowedSettings`.
 * `NAME_FILE` is the path of a file with the secret `NAME`. Throws a `ConfigError` with all mistakes, including misspelled
 * variables.
 */
export function readConfig(env: Environment, readFile: (path: string) => string): Config {
  const given: Record<string, string> = {};
  const mistakes = findUnknownSettings(Object.keys(env));
  for (const name of Object.keys(settingsSchema.shape)) {
    const source = findVariable(name, env);
    const isFile = source === `${name}_FILE` || fileSettings.has(name);
    const value = isFile && env[source] ? readSettingFile(source, env[source], readFile) : env[source];
    if (typeof value === 'object') mistakes.push(value);
    // Control characters result from copying errors, except line breaks between the items of a list.
    else if (secretSettings.has(name) && (value ?? '').split(',').some((part) => /\p{Cc}/u.test(part.trim())))
      mistakes.push(invalidSetting(source, null, 'text on one line'));
    else if (value || (value === '' && emptyAllowedSettings.has(name))) given[name] = value;
  }
  const result = settingsSchema.safeParse(given);
  for (const { path, message } of result.error?.issues ?? []) {
    const name = String(path[0]);
    const value = fileSettings.has(name) ? (env[name] ?? null) : hideSecrets(given[name] ?? '');
    mistakes.push(invalidSetting(name, secretSettings.has(name) ? null : value, message));
  }
  const isReported = (name: string) =>
    mistakes.some(({ variable }) => [name, `${name}_FILE`].includes(variable));
  for (const mistake of findMissingSettings(given)) if (!isReported(mistake.variable)) mistakes.push(mistake);
  const certificateMistake = result.data && findCertificateMistake(result.data);
  if (certificateMistake) mistakes.push(certificateMistake);
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    mistakes.push({
      variable: 'NODE_TLS_REJECT_UNAUTHORIZED',
      message:
        'NODE_TLS_REJECT_UNAUTHORIZED is "0", which disables certificate verification. Remove it; NODE_EXTRA_CA_CERTS adds certificate authorities.',
    });
  }
  if (mistakes.length > 0 || !result.data) throw new ConfigError(mistakes);
  return { ...constants, ...result.data };
}

/** Reads a file. The mistake does not show the path, which may be the secret itself. */
function readSettingFile(
  variable: string,
  path: string,
  readFile: (path: string) => string,
): string | ConfigMistake {
  try {
    return readFile(path).trim() || invalidSetting(variable, null, 'the path of a file that is not empty');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return invalidSetting(variable, null, `the path of a readable file, such as /run/secrets/name (${code})`);
  }
}
