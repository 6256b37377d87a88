import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { type ReloadedSettings, reloadSettings } from '../config/reloading.ts';
import type { SettingsMetrics } from '../observation/settings-metrics.ts';
import { replace } from '../runtime/reloadable.ts';
import { logNotice } from './log.ts';
import { loadRecordTypes } from './schema/record-types.ts';

/**
 * Applies the settings that `read` returns, those that are reloaded, to what begins from then on. Where it rejects, nothing is
 * changed. Reloads run one after another, and at most one waits: calls until it begins are one, as it reads the settings then.
 */
export type Reload = (read: () => Promise<Config>) => Promise<void>;

export interface ReloadOptions {
  /** Everything that is reloaded derives from this object. */
  readonly settings: { current: Config };
  /** Applies what is not read where it is used. */
  readonly update: () => Promise<void>;
  readonly metrics: SettingsMetrics | null;
  readonly log: Logger;
}

export function createReload({ settings, update, metrics, log }: ReloadOptions): Reload {
  const judge = async (read: () => Promise<Config>): Promise<ReloadedSettings | null> => {
    try {
      const given = await read();
      const reloaded = reloadSettings(settings.current, given);
      if (reloaded.needRestart.includes('RECORD_TYPES')) loadRecordTypes(given);
      return reloaded;
    } catch (error) {
      log.error(`The settings were not reloaded, nothing is changed. ${(error as Error).message}`);
      return null;
    }
  };
  const reload = async (read: () => Promise<Config>): Promise<void> => {
    const reloaded = await judge(read);
    metrics?.settingsReloaded(reloaded ? 'applied' : 'rejected');
    if (!reloaded) return;
    replace(settings, reloaded.settings);
    log.level = reloaded.settings.LOG_LEVEL;
    await update();
    logNotice(log, describeReload(reloaded));
  };
  let last = Promise.resolve();
  let waiting: Promise<void> | null = null;
  return (read) => {
    if (waiting) return waiting;
    const next = async (): Promise<void> => {
      // Node.js calls the handlers of signals that came meanwhile in one turn, and requests have their turn before the next.
      await setImmediate();
      waiting = null;
      await reload(read);
    };
    // An internal error of one must not keep the next from running.
    waiting = last.then(next).catch((err) => log.error({ err }, 'The settings were reloaded in part.'));
    last = waiting;
    return waiting;
  };
}

const describeReload = ({ changed, needRestart }: ReloadedSettings): string =>
  [
    changed.length === 0
      ? 'Settings reloaded: none of them has changed.'
      : `Settings reloaded: ${changed.join(', ')}.`,
    ...(needRestart.length > 0 ? [`Takes effect after a restart: ${needRestart.join(', ')}.`] : []),
  ].join(' ');
