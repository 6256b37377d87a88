import { isJsonObject, readJsonObject } from '../business/field-values.ts';
import type { ControlAddresses } from '../control.ts';
import { empty, json } from '../http.ts';
import { badRequest } from '../refusal.ts';
import type { DeliveryFault } from './deliveries.ts';
import { deliveryFaults } from './deliveries.ts';
import { isReceiver } from './receiver.ts';
import { readSettings, settingNames } from './settings.ts';
import type { Webhooks } from './webhooks.ts';

type Json = Readonly<Record<string, unknown>>;

/** The addresses below `/sandbox` that are about webhooks. */
export function webhookControls(webhooks: Webhooks): ControlAddresses {
  return {
    'GET /sandbox/webhooks': {
      about: 'the settings, the subscriptions of every caller, and what their receivers were sent',
      answer: () =>
        json(200, {
          settings: webhooks.settings(),
          subscriptions: webhooks
            .subscriptions()
            .map(({ owner, record }) => ({ owner, etag: record.etag, ...record.values })),
          deliveries: webhooks.deliveries.list(),
        }),
    },
    'POST /sandbox/webhooks': {
      about: `{"delayMs": 50} sets ${settingNames.join(', ')}; {"deliver": "now"} tells at once; {"drop": "<id>"} forgets a subscription; {"send": {"notificationUrl": "http://…", "body": {"value": []}}} forges a notification, {"repeat": 1} sends a delivery again; {"fault": "twice", "times": 1} disturbs the next: ${deliveryFaults.join(', ')}`,
      answer(call) {
        steer(readJsonObject(call.body), webhooks);
        return empty(204);
      },
    },
  };
}

/** Carries out, in this order, what a body asks for; what cannot be read changes nothing. */
function steer({ fault, times = 1, drop, send, repeat, deliver, ...rest }: Json, webhooks: Webhooks): void {
  const settings = readSettings(rest);
  const disturbance = fault === undefined ? undefined : readFault(fault, times);
  const forged = send === undefined ? undefined : readForged(send);
  if (deliver !== undefined && deliver !== 'now') throw badRequest(`'deliver' must be "now".`);
  if (drop !== undefined && !webhooks.subscriptions().some(({ id }) => id === drop)) {
    throw badRequest(`There is no subscription ${JSON.stringify(drop)} to drop.`);
  }
  if (repeat !== undefined && !webhooks.deliveries.list().some(({ id }) => id === repeat)) {
    throw badRequest(`There is no delivery ${JSON.stringify(repeat)} to repeat.`);
  }

  const { deliveries } = webhooks;
  webhooks.set(settings);
  if (disturbance) deliveries.disturb(disturbance.fault, disturbance.times);
  if (drop !== undefined) webhooks.remove(String(drop));
  if (forged) deliveries.forge(forged.notificationUrl, forged.body);
  if (repeat !== undefined) deliveries.repeat(Number(repeat));
  if (deliver !== undefined) webhooks.deliver();
}

function readFault(fault: unknown, times: unknown): { fault: DeliveryFault; times: number } {
  const found = deliveryFaults.find((one) => one === fault);
  if (!found) throw badRequest(`'fault' must be one of ${deliveryFaults.join(', ')}.`);
  if (!Number.isSafeInteger(times) || (times as number) < 0) {
    throw badRequest(`'times' of a fault cannot be ${JSON.stringify(times)}.`);
  }
  return { fault: found, times: times as number };
}

/** A body that is a text is sent as it is, JSON or not. */
function readForged(send: unknown): { notificationUrl: string; body: string } {
  const { notificationUrl, body, ...rest } = isJsonObject(send) ? send : {};
  if (typeof notificationUrl !== 'string' || !isReceiver(notificationUrl) || body === undefined) {
    throw badRequest(`'send' must be {"notificationUrl": "http://…", "body": {"value": []}}.`);
  }
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw badRequest(`'send' has no '${unknown}'.`);
  return { notificationUrl, body: typeof body === 'string' ? body : JSON.stringify(body) };
}
