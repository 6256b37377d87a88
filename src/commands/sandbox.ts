import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { loadConfig } from './load-settings.ts';
import { namePort, print, readNumber, stopOnSignals } from './run-command.ts';

// An operation has five steps, so it takes long enough to copy its id and subscribe.
const operationStepMs = 2_000;

/** The port in all examples of the documentation. */
export const sandboxPort = 4100;

export async function runSandbox({ port }: { readonly port?: string }): Promise<void> {
  const config = await loadConfig();
  const portNumber = port === undefined ? sandboxPort : readNumber('--port', port, 65_535);
  const sandbox = await startLocalSandbox(config, portNumber).catch(namePort({ '--port': portNumber }));
  stopOnSignals(() => sandbox.stop());
  print(
    `The sandbox is at ${sandbox.url}/sandbox\nBUSINESS_URL=${sandbox.url} MANAGEMENT_URL=${sandbox.url} BUSINESS_COMPANY_ID=${sandbox.companyId}`,
  );
}

/** Starts the sandbox with the configured dialect. */
export async function startLocalSandbox(
  { BUSINESS_DIALECT: dialect, BUSINESS_ITEM_V1 }: Config,
  port: number,
) {
  requireSandbox();
  const { startSandbox: start } = await import('#sandbox');
  return start({
    port,
    stepMs: operationStepMs,
    dialect,
    itemV1: BUSINESS_ITEM_V1 === 'on',
    isDemo: true,
  });
}

/** Throws if the sandbox is not installed, as in the production image. */
function requireSandbox(): void {
  if (existsSync(new URL(import.meta.resolve('#sandbox')))) return;
  throw new Error(
    'The sandbox is not installed: the production image does not contain it. Use `serve` with BUSINESS_URL or MANAGEMENT_URL, or run this command in a clone of the repository.',
  );
}
