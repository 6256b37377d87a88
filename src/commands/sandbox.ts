import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { loadConfig, type SettingFlags } from './load-settings.ts';
import { namePort } from './port-errors.ts';
import { print, stopOnSignals } from './run-command.ts';

// An operation has five steps, so it runs long enough to copy its id and subscribe.
const operationStepMs = 2_000;

export async function runSandbox(flags: SettingFlags): Promise<void> {
  const sandbox = await startLocalSandbox(await loadConfig(flags), 'SANDBOX_PORT or --port');
  stopOnSignals(() => sandbox.stop());
  print(
    `The sandbox is at ${sandbox.url}/sandbox\nBUSINESS_URL=${sandbox.url} MANAGEMENT_URL=${sandbox.url}`,
  );
}

/** Starts the sandbox with the dialect that Tributary is configured for. `setting` is what changes its port. */
export async function startLocalSandbox(
  { SANDBOX_PORT: port, BUSINESS_DIALECT: dialect, BUSINESS_ITEM_V1 }: Config,
  setting = 'SANDBOX_PORT',
) {
  requireSandbox();
  const { startSandbox: start } = await import('#sandbox');
  const options = { port, stepMs: operationStepMs, dialect, itemV1: BUSINESS_ITEM_V1 === 'on' };
  return start(options).catch(namePort({ [setting]: port }));
}

/** Throws where the sandbox is not installed, as in the production image. */
export function requireSandbox(): void {
  if (existsSync(new URL(import.meta.resolve('#sandbox')))) return;
  throw new Error(
    'The sandbox is not installed: the production image does not contain it. Use `serve` with BUSINESS_URL or MANAGEMENT_URL, or run this command in a clone of the repository.',
  );
}
