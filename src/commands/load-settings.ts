import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Config, readConfig } from '../config/config.ts';
import { ConfigError, invalidSetting, missingSetting } from '../config/config-error.ts';
import type { GivenSettings } from '../config/effective-settings.ts';
import { emptyAllowedSettings, toSettingName, withoutServiceLinks } from '../config/setting-names.ts';
import { isLoopbackHost } from '../config/setting-types.ts';

/** Settings of the command line, by their names. */
export type SettingFlags = Readonly<Record<string, string | undefined>>;

export interface LoadedSettings {
  readonly config: Config;
  readonly given: GivenSettings;
}

/** Returns the settings as a command takes them. Throws a `ConfigError` for what it does not take. */
export type RequireSettings = (config: Config) => Config;

/**
 * Reads the settings from the command line, the environment and `.env`, in this order of precedence. If they are valid,
 * `require` checks what a command needs besides. Variables of `.env` are then set in the environment of the process.
 */
export async function loadSettings(
  flags: SettingFlags = {},
  require: RequireSettings = (config) => config,
): Promise<LoadedSettings> {
  const fileVariables = readEnvFile();
  const given = mergeSettings(flags, fileVariables);
  const config = readConfig(given.values, readText);
  // For what Node.js and OpenTelemetry's SDK read themselves.
  for (const [name, value] of Object.entries(fileVariables)) process.env[name] ??= value;
  return { config: require(config), given };
}

/** The settings alone. */
export const loadConfig = async (flags?: SettingFlags): Promise<Config> => (await loadSettings(flags)).config;

/** Whether a setting has a value, valid or not. */
export const hasSetting = (name: keyof Config): boolean => Boolean(process.env[name] || readEnvFile()[name]);

/**
 * A setting counts once, however it is written: `REDIS_URL` in the environment hides `REDIS_URL_FILE` of `.env`. An empty
 * value is unset, so that the next source counts, except in `emptyAllowedSettings`.
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

/** The settings as `serve` takes them. Throws a `ConfigError` for what it needs besides. */
export function requireServeSettings(given: Config): Config {
  if (given.BUSINESS_URL === undefined && given.MANAGEMENT_URL === undefined) {
    throw new ConfigError([missingSetting('BUSINESS_URL or MANAGEMENT_URL', 'by `serve`')]);
  }
  return { ...given, PAGES: given.PAGES ?? 'off' };
}

/** The settings as they are. Throws a `ConfigError` for what `dev` does not take. */
export function requireDevSettings(config: Config): Config {
  const { HOST } = config;
  if (!isLoopbackHost(HOST)) {
    const expected =
      'a loopback address, which is localhost, ::1 or one that begins with 127, because `dev` does not verify callers. Use `serve` for other addresses';
    throw new ConfigError([invalidSetting('HOST', HOST, expected)]);
  }
  return config;
}

/** Whether `dev` starts the sandbox, in place of an upstream. */
export const needsSandbox = ({ BUSINESS_URL, MANAGEMENT_URL }: Config): boolean =>
  BUSINESS_URL === undefined || MANAGEMENT_URL === undefined;
