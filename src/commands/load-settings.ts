import { readFileSync } from 'node:fs';
import { type Config, listSettingWarnings, readConfig, requireSettings } from '../config/config.ts';
import { ConfigError, type ConfigMistake } from '../config/config-error.ts';
import type { EnvFile } from '../config/files/env-file.ts';
import type { SettingsFile } from '../config/files/settings-file.ts';
import { type MergedSettings, mergeLayers, type SettingsLayer } from '../config/layers.ts';
import { withoutServiceLinks } from '../config/service-links.ts';
import { readEnvFile, readSettingsFile, usualSettingsFile } from './settings-files.ts';

/** Settings of the command line, by their names; `config` names a file of settings. */
export type SettingFlags = Readonly<Record<string, string | undefined>>;

export interface LoadedSettings {
  readonly config: Config;
  readonly merged: MergedSettings;
}

/** Returns the settings as a command takes them. Throws a `ConfigError` for what it does not take. */
export type RequireSettings = (config: Config) => Config;

type Environment = Readonly<Record<string, string | undefined>>;

const environmentSource = 'environment';
const emptyEnvFile: EnvFile = { values: {}, places: new Map(), mistakes: [] };

/**
 * Reads the settings of the command line, the environment, `.env` and the file of settings, in this order, and judges
 * them all at once. If they are right, `require` judges what a command needs besides. What `.env` sets is also in the
 * environment of the process then. Warnings go to stderr.
 */
export async function loadSettings(
  flags: SettingFlags = {},
  require: RequireSettings = (config) => config,
): Promise<LoadedSettings> {
  const { ofEnvFile, ...loaded } = await readSettings(flags, process.env, require);
  // For what Node.js and OpenTelemetry's SDK read themselves.
  for (const [name, value] of Object.entries(ofEnvFile)) process.env[name] ??= value;
  return loaded;
}

async function readSettings(
  { config: path, ...flags }: SettingFlags,
  ofEnvironment: Environment,
  require: RequireSettings,
) {
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
  const { values: ofEnvFile, ...env } = collect(() => readEnvFile() ?? emptyEnvFile, emptyEnvFile);
  mistakes.push(...env.mistakes);
  collect(() => placeMistakes(() => requireSettings(Object.keys(ofEnvFile)), env.places), undefined);
  const settingsFile = path ?? usualSettingsFile;
  const text = collect(() => readSettingsFile(path), null);
  const file = text === null ? null : await parseFile(text, settingsFile);
  mistakes.push(...(file?.mistakes ?? []));
  const merged = mergeLayers([
    layer('command line', flags),
    layer(environmentSource, withoutServiceLinks(ofEnvironment)),
    { values: ofEnvFile, sourceOf: (name) => env.places.get(name) ?? '' },
    { values: file?.values ?? {}, sourceOf: (name) => file?.places.get(name) ?? '' },
  ]);
  const read = () => readConfig(merged.values, (path) => readFileSync(path, 'utf8'));
  const given = collect(() => placeMistakes(read, merged.sources), null);
  if (given === null || mistakes.length > 0) throw new ConfigError(withoutRepeats(mistakes));
  for (const warning of listSettingWarnings(merged.values)) process.stderr.write(`${warning}\n`);
  const config = placeMistakes(() => require(given), merged.sources);
  return { config, merged, ofEnvFile };
}

/** The settings alone. */
export const loadConfig = async (flags?: SettingFlags): Promise<Config> => (await loadSettings(flags)).config;

/** The settings of the environment alone, for commands that run in folders of other projects. */
export const loadEnvironmentConfig = (): Config =>
  readConfig(withoutServiceLinks(process.env), (path) => readFileSync(path, 'utf8'));

const layer = (source: string, values: SettingsLayer['values']): SettingsLayer => ({
  sourceOf: () => source,
  values,
});

const parseFile = async (text: string, path: string): Promise<SettingsFile> =>
  (await import('../config/files/settings-file.ts')).parseSettingsFile(text, path);

/** Names the place that a wrong value is from; of the environment, the variable alone does. */
function placeMistakes<Value>(read: () => Value, places: ReadonlyMap<string, string>): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      error.mistakes.map(({ variable, message }) => {
        const names = [variable, `${variable}_FILE`, variable.toLowerCase()];
        const place = names.map((name) => places.get(name)).find((found) => found !== undefined);
        const isTold = place === undefined || place === environmentSource;
        return { variable, message: isTold ? message : `${place}: ${message}` };
      }),
    );
  }
}

// What is wrong in a file is also wrong in the environment that it becomes part of.
const withoutRepeats = (mistakes: readonly ConfigMistake[]) => [
  ...new Map(mistakes.map((mistake) => [mistake.message, mistake])).values(),
];

/** Whether a setting may be given, right or wrong: it is in the environment or in `.env`, or there is a file. */
export const mayHaveSetting = (name: keyof Config, path?: string): boolean =>
  Boolean(process.env[name] || readEnvFile()?.values[name]) || readSettingsFile(path) !== null;
