import type { Instruments } from './instruments.ts';

export type ReloadOutcome = 'applied' | 'rejected';

export interface SettingsMetrics {
  /** Called after each reload of the settings. */
  settingsReloaded(outcome: ReloadOutcome): void;
}

export function createSettingsMetrics({ counter, gauge }: Instruments): SettingsMetrics {
  const reloads = counter<'outcome'>(
    'tributary_settings_reloads_total',
    'Reloads of the settings on SIGHUP. `rejected`: they were wrong, and nothing was changed.',
  );
  const counts = { applied: reloads({ outcome: 'applied' }), rejected: reloads({ outcome: 'rejected' }) };
  let appliedAt = Date.now();
  gauge(
    'tributary_settings_applied_timestamp_seconds',
    'When the settings were last applied: at the start, or by a reload. Unix time.',
    () => [{ labels: {}, value: appliedAt / 1_000 }],
  );
  return {
    settingsReloaded(outcome) {
      counts[outcome]();
      if (outcome === 'applied') appliedAt = Date.now();
    },
  };
}
