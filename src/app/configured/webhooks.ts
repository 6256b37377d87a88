import type { Logger } from 'pino';
import type { WatchedSet } from '../../changes/watched-sets.ts';
import { type ChangeWebhooks, createChangeWebhooks } from '../../changes/webhooks.ts';
import type { Config } from '../../config/config.ts';
import type { UpstreamClient } from '../../http/client.ts';
import type { Bus } from '../../operations/bus.ts';
import { webhookPath } from '../../server/paths.ts';
import type { AreaCredentials } from '../credentials.ts';

/** The upstream's webhooks; null without an address for them, or without credentials to create subscriptions with. */
export function createConfiguredWebhooks(
  config: Config,
  client: UpstreamClient,
  credentials: AreaCredentials,
  sets: readonly WatchedSet[],
  secrets: readonly string[],
  bus: Bus,
  log: Logger,
): ChangeWebhooks | null {
  const { BUSINESS_URL, PUBLIC_URL } = config;
  const access = credentials.forServer('business');
  if (!BUSINESS_URL || !PUBLIC_URL || !access) return null;
  return createChangeWebhooks({
    client,
    access,
    notificationUrl: PUBLIC_URL.replace(/\/$/, '') + webhookPath,
    secrets,
    sets,
    bus,
    pollMs: config.POLL_RECORDS_MS,
    log,
  });
}
