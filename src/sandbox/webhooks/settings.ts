import { badRequest } from '../refusal.ts';

/** How the sandbox tells of changes. What is left out is as usual; only the expiry is the real service's. */
export interface WebhookOptions {
  /** From the first change to the request that tells of it; 1000 when left out, 30 s on the real service. */
  readonly delayMs?: number;
  /** How long a subscription lasts from its creation or renewal; three days when left out. */
  readonly lifetimeMs?: number;
  /** The most changes of a subscription that are told one by one; 1000 when left out. */
  readonly collectionLimit?: number;
  /** How long a receiver may take, for the handshake and for notifications; 5000 when left out. */
  readonly timeoutMs?: number;
  /** The pauses before a notification is sent again; a second for each minute of the real service when left out. */
  readonly retryPausesMs?: readonly number[];
}

export type WebhookSettings = Required<WebhookOptions>;

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
/** What a timer can wait. */
const isWait = (value: unknown): boolean => isCount(value) && (value as number) <= 2_147_483_647;

const checks: Readonly<Record<keyof WebhookSettings, (value: unknown) => boolean>> = {
  delayMs: isWait,
  lifetimeMs: isWait,
  collectionLimit: isCount,
  timeoutMs: isWait,
  retryPausesMs: (value) => Array.isArray(value) && value.every(isWait),
};

/** The names a setting may have, for the index and for messages. */
export const settingNames: readonly string[] = Object.keys(checks);

/** The settings a sandbox starts with: five attempts in all. */
export function settingsOf(options: WebhookOptions): WebhookSettings {
  return {
    delayMs: 1_000,
    lifetimeMs: 3 * 24 * 3_600_000,
    collectionLimit: 1_000,
    timeoutMs: 5_000,
    retryPausesMs: [1_000, 1_000, 10_000, 100_000],
    ...options,
  };
}

/** Checks settings from their JSON form; throws a `Refusal` that names the mistake. */
export function readSettings(json: Readonly<Record<string, unknown>>): WebhookOptions {
  for (const [name, value] of Object.entries(json)) {
    const check = Object.hasOwn(checks, name) && checks[name as keyof WebhookSettings];
    if (!check) throw badRequest(`Webhooks have no '${name}'; they have ${settingNames.join(', ')}.`);
    if (!check(value)) throw badRequest(`'${name}' of webhooks cannot be ${JSON.stringify(value)}.`);
  }
  return json;
}
