import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { loadConfig, type SettingFlags } from './load-settings.ts';
import { print, type Stop } from './run-command.ts';

// An operation has five steps, so it runs long enough to copy its id and subscribe.
const operationStepMs = 2_000;

export async function runSandbox(flags: SettingFlags): Promise<Stop> {
  const sandbox = await startLocalSandbox(await loadConfig(flags));
  print(
    `The sandbox is at ${sandbox.url}/sandbox\nBUSINESS_URL=${sandbox.url} MANAGEMENT_URL=${sandbox.url}`,
  );
  return () => sandbox.stop();
}

/** Starts the sandbox with the dialect that Tributary is configured for. */
export async function startLocalSandbox({
  SANDBOX_PORT: port,
  BUSINESS_DIALECT: dialect,
  BUSINESS_ITEM_V1,
}: Config) {
  requireSandbox();
  const { startSandbox: start } = await import('#sandbox');
  return start({ port, stepMs: operationStepMs, dialect, itemV1: BUSINESS_ITEM_V1 === 'on' });
}

/** Throws where the sandbox is not installed, as in the production image. */
export function requireSandbox(): void {
  if (existsSync(new URL(import.meta.resolve('#sandbox')))) return;
  throw new Error(
    'The sandbox is not installed: the production image does not contain it. Use `serve` with BUSINESS_URL or MANAGEMENT_URL, or run this command in a clone of the repository.',
  );
}
