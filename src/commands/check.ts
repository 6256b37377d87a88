import { loadRecordTypes } from '../app/record-types.ts';
import { listEffectiveSettings } from '../config/effective-settings.ts';
import { requireDevSettings, requireServeSettings } from './command-settings.ts';
import { loadSettings, type SettingFlags } from './load-settings.ts';
import { print } from './run-command.ts';
import { formatTable } from './table.ts';

interface CheckOptions {
  /** Judges what `dev` would. */
  readonly dev?: boolean;
  /** Tries what the settings name. */
  readonly connect?: boolean;
}

/**
 * Judges the settings and the record files that they name as `serve` would, and prints each setting with its source. With
 * `connect` the exit code is 1 where something cannot be used.
 */
export async function runCheck({ dev, connect }: CheckOptions, flags: SettingFlags): Promise<undefined> {
  const { config, merged } = await loadSettings(flags);
  if (dev) requireDevSettings(config);
  else requireServeSettings(config);
  loadRecordTypes(config);
  const effective = listEffectiveSettings(merged, dev ? 'dev' : 'serve');
  print(
    formatTable([
      ['setting', 'value', 'source'],
      ...effective.map(({ name, value, source }) => [name, value, source]),
    ]),
  );
  print(`\nThe settings are valid for \`${dev ? 'dev' : 'serve'}\`.`);
  if (!connect) return;
  const { checkConnections } = await import('../app/connection-checks.ts');
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
