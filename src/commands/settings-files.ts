import { lstatSync, readFileSync } from 'node:fs';
import { ConfigError, type ConfigMistake } from '../config/config-error.ts';
import { type EnvFile, parseEnvFile } from '../config/files/env-file.ts';

const envFile = '.env';
export const usualSettingsFile = 'tributary.yaml';

/** Null where there is none. */
export function readEnvFile(): EnvFile | null {
  const text = readIfPresent(envFile);
  return text === null ? null : parseEnvFile(text, envFile);
}

/** Reads the file of settings. Null where there is none and none is named. */
export const readSettingsFile = (path?: string): string | null =>
  path === undefined ? readIfPresent(usualSettingsFile) : read(path);

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/** A link to a missing file counts as a file that cannot be read. */
function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !isLink(path)) return null;
    throw new ConfigError([unreadableFile(path, code)]);
  }
}

function read(path: string): string {
  const text = readIfPresent(path);
  if (text === null) throw new ConfigError([unreadableFile(path, 'ENOENT')]);
  return text;
}

const unreadableReasons: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  EACCES: 'the permission is missing',
  ENOENT: 'it does not exist',
};

function unreadableFile(path: string, code = 'unknown'): ConfigMistake {
  const reason = code === 'ENOENT' && isLink(path) ? 'the file that it links to does not exist' : undefined;
  return {
    variable: path,
    message: `${path} cannot be read: ${reason ?? unreadableReasons[code] ?? code}. Make it a readable file of settings, or remove it.`,
  };
}
