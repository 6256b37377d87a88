import { isatty } from 'node:tty';
import type { Tributary } from '../app/compose.ts';
import type { Config } from '../config/config.ts';

/** Reloads the settings of the server on each SIGHUP; once now, where one came before the server had started. */
export type ReloadOnSighup = (server: Tributary, read: () => Promise<Config>) => void;

/**
 * Handles SIGHUP from now on, so that it does not end a process that is still starting. A process whose terminal is closed
 * gets the same signal, and ends by it.
 */
export function handleSighup(): ReloadOnSighup {
  const hasTerminal = isatty(process.stdout.fd);
  let isWaiting = false;
  let reload = () => {
    isWaiting = true;
  };
  const onSighup = () => {
    if (hasTerminal && !isatty(process.stdout.fd)) {
      process.off('SIGHUP', onSighup);
      process.kill(process.pid, 'SIGHUP');
      return;
    }
    reload();
  };
  process.on('SIGHUP', onSighup);
  return (server, read) => {
    reload = () => void server.reload(read);
    if (isWaiting) reload();
  };
}
