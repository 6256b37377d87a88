import type { JsonCheck } from '../json-checks.ts';
import { checkFields, isCount } from '../json-checks.ts';

/**
 * How the sandbox delivers webhooks. The defaults are shorter than on the real service, except for the
 * lifetime.
 */
export interface WebhookOptions {
  /** Delay from the first change to the request. Default: 1000; 30 s on the real service. */
  readonly delayMs?: number;
  /** Lifetime of a subscription from its creation or renewal. Default: three days. */
  readonly lifetimeMs?: number;
  /** Maximum number of notifications per subscription before they become one for the collection. Default: 1000. */
  readonly collectionLimit?: number;
  /** Timeout of a receiver, for validation and notifications. Default: 5000. */
  readonly timeoutMs?: number;
  /** Pauses between attempts. Default: a second for each minute of the real service. */
  readonly retryPausesMs?: readonly number[];
}

export type WebhookSettings = Required<WebhookOptions>;

/** The maximum of a timer. */
const isTimerDelay: JsonCheck = (value) => isCount(value) && (value as number) <= 2_147_483_647;

const webhookChecks: Readonly<Record<keyof WebhookSettings, JsonCheck>> = {
  delayMs: isTimerDelay,
  lifetimeMs: isTimerDelay,
  collectionLimit: isCount,
  timeoutMs: isTimerDelay,
  retryPausesMs: (value) => Array.isArray(value) && value.every(isTimerDelay),
};

/** Names of all settings. */
export const webhookSettingNames: readonly string[] = Object.keys(webhookChecks);

/** The initial settings: five attempts in all. */
export function withDefaultSettings(options: WebhookOptions): WebhookSettings {
  return {
    delayMs: 1_000,
    lifetimeMs: 3 * 24 * 3_600_000,
    collectionLimit: 1_000,
    timeoutMs: 5_000,
    retryPausesMs: [1_000, 1_000, 10_000, 100_000],
    ...options,
  };
}

/** Reads settings from their JSON form. Throws an `ApiError` when they are invalid. */
export function readWebhookSettings(json: Readonly<Record<string, unknown>>): WebhookOptions {
  checkFields('webhooks', json, webhookChecks);
  return json;
}
