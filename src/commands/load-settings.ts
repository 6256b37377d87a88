import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Config, listSettingWarnings, readConfig, requireSettings } from '../config/config.ts';
import { ConfigError, type ConfigMistake } from '../config/config-error.ts';
import { type MergedSettings, mergeLayers, type SettingsLayer } from '../config/layers.ts';
import type { SettingsFile } from '../config/settings-file.ts';

/** Settings of the command line, by their names; `config` names a file of settings. */
export type SettingFlags = Readonly<Record<string, string | undefined>>;

export interface LoadedSettings {
  readonly config: Config;
  readonly merged: MergedSettings;
}

const envFile = '.env';
const usualSettingsFile = 'tributary.yaml';

/**
 * Reads the settings of the command line, the environment, `.env` and the file of settings, in this order, and judges
 * them all at once. What `.env` sets is also in the environment of the process then. Warnings go to stderr.
 */
export async function loadSettings({ config: path, ...flags }: SettingFlags = {}): Promise<LoadedSettings> {
  const mistakes: ConfigMistake[] = [];
  const collect = <Value>(read: () => Value, otherwise: Value): Value => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      mistakes.push(...error.mistakes);
      return otherwise;
    }
  };
  const ofEnvironment = { ...process.env };
  const ofEnvFile = collect(readEnvFile, {});
  collect(() => requireSettings(Object.keys(ofEnvFile)), undefined);
  const text = collect(() => readSettingsFile(path), null);
  const file = text === null ? null : await parseFile(text, path ?? usualSettingsFile);
  mistakes.push(...(file?.mistakes ?? []));
  const merged = mergeLayers([
    layer('command line', flags),
    layer('environment', ofEnvironment),
    layer(envFile, ofEnvFile),
    { values: file?.values ?? {}, sourceOf: (name) => file?.places.get(name) ?? '' },
  ]);
  const config = collect(() => readConfig(merged.values, (path) => readFileSync(path, 'utf8')), null);
  if (config === null || mistakes.length > 0)
    throw new ConfigError(withoutRepeats(addPlaces(mistakes, file)));
  for (const warning of listSettingWarnings(merged.values)) process.stderr.write(`${warning}\n`);
  // For what Node.js and OpenTelemetry's SDK read themselves.
  for (const [name, value] of Object.entries(ofEnvFile)) process.env[name] ??= value;
  return { config, merged };
}

/** The settings alone. */
export const loadConfig = async (flags?: SettingFlags): Promise<Config> => (await loadSettings(flags)).config;

/** The settings of the environment alone, for commands that run in folders of other projects. */
export const loadEnvironmentConfig = (): Config =>
  readConfig(process.env, (path) => readFileSync(path, 'utf8'));

const layer = (source: string, values: SettingsLayer['values']): SettingsLayer => ({
  sourceOf: () => source,
  values,
});

function readEnvFile(): Readonly<Record<string, string>> {
  try {
    return parseEnv(readFileSync(envFile, 'utf8')) as Readonly<Record<string, string>>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new ConfigError([unreadableFile(envFile, code)]);
  }
}

/** Null where there is none and none is named. */
function readSettingsFile(path?: string): string | null {
  try {
    return readFileSync(path ?? usualSettingsFile, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (path === undefined && code === 'ENOENT') return null;
    throw new ConfigError([unreadableFile(path ?? usualSettingsFile, code)]);
  }
}

const parseFile = async (text: string, path: string): Promise<SettingsFile> =>
  (await import('../config/settings-file.ts')).parseSettingsFile(text, path);

/** Names the line of an invalid value of the file. */
const addPlaces = (mistakes: readonly ConfigMistake[], file: SettingsFile | null) =>
  mistakes.map(({ variable, message }) => {
    const place = file?.places.get(variable);
    const isTold = place === undefined || !message.startsWith(`${variable} `);
    return { variable, message: isTold ? message : `${place}: ${message}` };
  });

const unreadableReasons: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  EACCES: 'the permission is missing',
  ENOENT: 'it does not exist',
};

/** A file of settings that cannot be read. */
const unreadableFile = (path: string, code = 'unknown'): ConfigMistake => ({
  variable: path,
  message: `${path} cannot be read: ${unreadableReasons[code] ?? code}. Make it a readable file of settings, or remove it.`,
});

// What is wrong in a file is also wrong in the environment that it becomes part of.
const withoutRepeats = (mistakes: readonly ConfigMistake[]) => [
  ...new Map(mistakes.map((mistake) => [mistake.message, mistake])).values(),
];

/** Whether a setting may be given, right or wrong: it is in the environment or in `.env`, or there is a file. */
export const mayHaveSetting = (name: keyof Config, path?: string): boolean =>
  Boolean(process.env[name] ?? readEnvFile()[name]) || readSettingsFile(path) !== null;
