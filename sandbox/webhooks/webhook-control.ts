import { badRequestError } from '../api-error.ts';
import type { ControlRoutes } from '../http.ts';
import { emptyResponse, jsonResponse } from '../http.ts';
import { isJsonObject, readJsonObject } from '../json-checks.ts';
import type { DeliveryFault } from './deliveries.ts';
import { deliveryFaults } from './deliveries.ts';
import { isHttpUrl } from './receiver.ts';
import { readWebhookSettings, webhookSettingNames } from './settings.ts';
import type { Webhooks } from './webhooks.ts';

type Json = Readonly<Record<string, unknown>>;

/** Control routes for webhooks. */
export function webhookRoutes(webhooks: Webhooks): ControlRoutes {
  return {
    'GET /sandbox/webhooks': {
      description: 'The settings, all subscriptions, and the requests to their receivers.',
      handle: () =>
        jsonResponse(200, {
          settings: webhooks.settings(),
          subscriptions: webhooks
            .subscriptions()
            .map(({ owner, record }) => ({ owner, etag: record.etag, ...record.values })),
          deliveries: webhooks.deliveries.list(),
        }),
    },
    'POST /sandbox/webhooks': {
      description: `{"delayMs": 50} sets ${webhookSettingNames.join(', ')}; {"deliver": "now"} sends queued notifications immediately; {"drop": "<id>"} removes a subscription; {"send": {"notificationUrl": "http://…", "body": {"value": []}}} forges a notification; {"fault": "twice", "times": 1} adds a fault for the next deliveries: ${deliveryFaults.join(', ')}`,
      handle(request) {
        applyWebhookCommands(readJsonObject(request.body), webhooks);
        return emptyResponse(204);
      },
    },
  };
}

/** Executes the commands of a body in this order. An invalid body changes nothing. */
function applyWebhookCommands(
  { fault, times = 1, drop, send, deliver, ...rest }: Json,
  webhooks: Webhooks,
): void {
  const settings = readWebhookSettings(rest);
  const disturbance = fault === undefined ? undefined : readFault(fault, times);
  const forged = send === undefined ? undefined : readForged(send);
  if (deliver !== undefined && deliver !== 'now') throw badRequestError(`'deliver' must be "now".`);
  if (drop !== undefined && !webhooks.subscriptions().some(({ id }) => id === drop)) {
    throw badRequestError(`The subscription ${JSON.stringify(drop)} does not exist.`);
  }

  const { deliveries } = webhooks;
  webhooks.set(settings);
  if (disturbance) deliveries.addFault(disturbance.fault, disturbance.times);
  if (drop !== undefined) webhooks.remove(String(drop));
  if (forged) deliveries.forge(forged.notificationUrl, forged.body);
  if (deliver !== undefined) webhooks.deliver();
}

function readFault(fault: unknown, times: unknown): { fault: DeliveryFault; times: number } {
  const found = deliveryFaults.find((one) => one === fault);
  if (!found) throw badRequestError(`'fault' must be one of ${deliveryFaults.join(', ')}.`);
  if (!Number.isSafeInteger(times) || (times as number) < 0) {
    throw badRequestError(`'times' of a fault cannot be ${JSON.stringify(times)}.`);
  }
  return { fault: found, times: times as number };
}

/** A string body is sent as it is. */
function readForged(send: unknown): { notificationUrl: string; body: string } {
  const { notificationUrl, body, ...rest } = isJsonObject(send) ? send : {};
  if (typeof notificationUrl !== 'string' || !isHttpUrl(notificationUrl) || body === undefined) {
    throw badRequestError(`'send' must be {"notificationUrl": "http://…", "body": {"value": []}}.`);
  }
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw badRequestError(`'send' has no '${unknown}'.`);
  return { notificationUrl, body: typeof body === 'string' ? body : JSON.stringify(body) };
}
