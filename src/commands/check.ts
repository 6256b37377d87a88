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
  /** Judges what `dev` would. */
  readonly dev?: boolean;
  /** Tries what the settings name. */
  readonly connect?: boolean;
  /** Prints settings that have their defaults, too. */
  readonly all?: boolean;
}

/**
 * Judges the settings and the declarations that they name as `serve` would, and prints those that are set with their sources. With
 * `connect` the exit code is 1 where something cannot be used.
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
  for (const warning of listWarnings(config)) print(`\nWarning: ${warning}`);
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

/** Rows as text with columns of equal width; the last is as wide as it is. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}
