import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Config, readConfig } from '../config/config.ts';
import { ConfigError, invalidSetting, missingSetting } from '../config/config-error.ts';
import type { GivenSettings } from '../config/effective-settings.ts';
import { emptyAllowedSettings, toSettingName, withoutServiceLinks } from '../config/setting-names.ts';
import { isLoopbackHost } from '../config/setting-types.ts';

/** Settings of the command line, by their names. */
export type SettingFlags = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from the command line, the environment and `.env`, in this order of precedence. `require` checks the
 * requirements of a command, and may complete the settings. Sets the variables of `.env` in the environment of the process if
 * they are valid.
 */
export async function loadSettings(
  flags: SettingFlags = {},
  require = (config: Config): Config => config,
): Promise<{ readonly config: Config; readonly given: GivenSettings }> {
  const fileVariables = readEnvFile();
  const given = mergeSettings(flags, fileVariables);
  const config = readConfig(given.values, readText);
  // For variables that Node.js and OpenTelemetry's SDK read themselves.
  for (const [name, value] of Object.entries(fileVariables)) process.env[name] ??= value;
  return { config: require(config), given };
}

export const loadConfig = async (): Promise<Config> => (await loadSettings()).config;

/** Whether a setting has a value, valid or not. */
export const hasSetting = (name: keyof Config): boolean => Boolean(process.env[name] || readEnvFile()[name]);

/**
 * The first source with a setting wins, in whichever form it sets it: `REDIS_URL` in the environment hides `REDIS_URL_FILE` in
 * `.env`. An empty value counts as unset, except in `emptyAllowedSettings`.
 */
function mergeSettings(flags: SettingFlags, fileVariables: SettingFlags): GivenSettings {
  const values: Record<string, string> = {};
  const sources = new Map<string, string>();
  const add = (source: string, variables: SettingFlags) => {
    const taken = new Set(Object.keys(values).map(toSettingName));
    for (const [name, value] of Object.entries(variables)) {
      const isGiven = value || (value === '' && emptyAllowedSettings.has(name));
      if (!isGiven || taken.has(toSettingName(name))) continue;
      values[name] = value;
      sources.set(name, source);
    }
  };
  add('command line', flags);
  add('environment', withoutServiceLinks(process.env));
  add('.env', fileVariables);
  return { values, sources };
}

const readText = (path: string) => readFileSync(path, 'utf8');

function readEnvFile(): SettingFlags {
  try {
    return parseEnv(readText('.env'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    const message = `.env cannot be read (${code}). Make it a readable file of settings, or remove it.`;
    throw new ConfigError([{ variable: '.env', message }]);
  }
}

/** Checks the requirements of `serve`, and sets the default of `PAGES`. Throws a `ConfigError`. */
export function requireServeSettings(given: Config): Config {
  if (given.BUSINESS_URL === undefined && given.MANAGEMENT_URL === undefined) {
    throw new ConfigError([missingSetting('BUSINESS_URL or MANAGEMENT_URL', 'by `serve`')]);
  }
  return { ...given, PAGES: given.PAGES ?? 'off' };
}

/** Checks the requirements of `dev`. Throws a `ConfigError`. */
export function requireDevSettings(config: Config): Config {
  if (isLoopbackHost(config.HOST)) return config;
  const expected =
    'a loopback address, which is localhost, ::1 or one that begins with 127, because `dev` does not verify callers. Use `serve` for other addresses';
  throw new ConfigError([invalidSetting('HOST', config.HOST, expected)]);
}
