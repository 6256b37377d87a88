import { ConfigError, type ConfigMistake, hideUrlSecrets, invalidSetting, showPath } from './config-error.ts';
import { type Constants, constants } from './constants.ts';
import { findCertificateMistake, findConflicts, findMissingSettings } from './requirements.ts';
import {
  emptyAllowedSettings,
  fileSettings,
  findVariable,
  knownVariables,
  secretSettings,
  versionedSettings,
} from './setting-names.ts';
import { type Settings, settingsSchema } from './settings.ts';
import { findUnknownSettings } from './unknown-settings.ts';

/** The settings, and the constants of all deployments. */
export type Config = Settings & Constants;

/** Warnings about variables that may be meant to be settings, and have no effect. */
export const listSettingWarnings = (env: Environment): readonly string[] =>
  findUnknownSettings(Object.keys(env), knownVariables).warnings;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from environment variables. An empty variable counts as unset, except in
 * `emptyAllowedSettings`. `NAME_FILE` names a file that holds the secret `NAME`. Throws a `ConfigError` with all
 * mistakes, among them variables that are meant to be settings and are none.
 */
export function readConfig(env: Environment, readFile: (path: string) => string): Config {
  const given: Record<string, string> = {};
  const mistakes: ConfigMistake[] = [...findUnknownSettings(Object.keys(env), knownVariables).mistakes];
  for (const name of Object.keys(settingsSchema.shape)) {
    const source = findVariable(name, env);
    const isFile = source === `${name}_FILE` || fileSettings.has(name);
    try {
      const value = isFile && env[source] ? readFile(env[source]).trim() : env[source];
      if (isFile && env[source] && value === '') mistakes.push(emptyFile(source, env[source]));
      // Left by a faulty copy. Lists may have one item a line.
      if (secretSettings.has(name) && (value ?? '').split(',').some((part) => /\p{Cc}/u.test(part.trim())))
        mistakes.push(invalidSetting(source, null, 'text on one line'));
      else if (value || (value === '' && emptyAllowedSettings.has(name))) given[name] = value;
    } catch (error) {
      const isFolder = (error as NodeJS.ErrnoException).code === 'EISDIR';
      mistakes.push(unreadableFile(source, env[source] ?? '', isFolder));
    }
  }
  const result = settingsSchema.safeParse(given);
  for (const { path, message } of result.error?.issues ?? []) {
    const name = String(path[0]);
    const isShown = fileSettings.has(name) || versionedSettings.has(name);
    const value = isShown ? env[name] : hideUrlSecrets(given[name] ?? '');
    mistakes.push(invalidSetting(name, secretSettings.has(name) ? null : (value ?? null), message));
  }
  const isReported = (name: string) =>
    mistakes.some(({ variable }) => [name, `${name}_FILE`].includes(variable));
  for (const mistake of [...findMissingSettings(given), ...findConflicts(given)])
    if (!isReported(mistake.variable)) mistakes.push(mistake);
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

function unreadableFile(variable: string, given: string, isFolder: boolean): ConfigMistake {
  const path = isFolder || variable === 'TRUSTED_DOCUMENTS' ? given : showPath(given);
  const hint = isFolder ? ', not of a folder' : path === null ? ', such as /run/secrets/name' : '';
  return invalidSetting(variable, path, `the path of a readable file${hint}`);
}

/** A setting whose file is there but empty, as where writing a secret has failed. */
const emptyFile = (variable: string, path: string): ConfigMistake => ({
  variable,
  message: `${variable} is ${JSON.stringify(path)}, and that file is empty. Write the value into it, or remove the variable.`,
});
