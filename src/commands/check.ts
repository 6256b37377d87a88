import { loadGraphModel } from '../app/schema/graph-model.ts';
import { listEffectiveSettings } from '../config/effective-settings.ts';
import { listWarnings } from '../config/warnings.ts';
import {
  loadSettings,
  requireDevSettings,
  requireServeSettings,
  type SettingFlags,
} from './load-settings.ts';
import { print } from './run-command.ts';

interface CheckOptions {
  /** Validates for `dev` instead of `serve`. */
  readonly dev?: boolean;
  /** Tries the connections to upstreams, token endpoints, key set and Redis. */
  readonly connect?: boolean;
  /** Also prints settings with their defaults. */
  readonly all?: boolean;
}

/**
 * Validates the settings, and the files that they name, and prints the settings that are set with their sources. With `connect`,
 * the exit code is 1 if a connection cannot be used.
 */
export async function runCheck({ dev, connect, all }: CheckOptions, flags: SettingFlags): Promise<void> {
  const { config, given } = await loadSettings(flags, dev ? requireDevSettings : requireServeSettings);
  await loadGraphModel(config);
  const effective = listEffectiveSettings(given).filter(({ source }) => all || source !== 'default');
  print(
    formatTable([
      ['setting', 'value', 'source'],
      ...effective.map(({ name, value, source }) => [name, value, source]),
    ]),
  );
  print(
    `\nThe settings are valid for \`${dev ? 'dev' : 'serve'}\`.${all ? '' : ' --all prints the others.'}`,
  );
  if (!dev) for (const warning of listWarnings(config)) print(`\nWarning: ${warning}`);
  if (!connect) return;
  const { checkConnections } = await import('../app/checks.ts');
  const checks = await checkConnections(config);
  const rows = checks.map(({ name, address, isUsable, finding }) => [
    name,
    address,
    isUsable ? 'ok' : 'FAILED',
    finding,
  ]);
  print(`\n${formatTable([['connection', 'address', 'result', 'found'], ...rows])}`);
  if (checks.some(({ isUsable }) => !isUsable)) process.exitCode = 1;
}

/** Formats rows as text with aligned columns. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}
