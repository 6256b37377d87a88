import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Bus, BusMember } from '../operations/bus.ts';
import { getOrCompute } from '../runtime/memo.ts';
import {
  createSharedNoticesParser,
  type Notice,
  parseNotifications,
  type TargetedNotice,
} from './notifications.ts';
import { createRegistrations } from './registrations.ts';
import {
  createClientStates,
  createUpstreamSubscriptions,
  type SubscriptionTarget,
  type UpstreamSubscriptionsOptions,
} from './upstream-subscriptions.ts';
import { typeOfSubscription } from './watched-sets.ts';

export interface WebhookListener {
  /** Called when the upstream starts or stops sending notifications. While inactive, changes must be polled. */
  onActiveChange(isActive: boolean): void;
  onNotices(notices: readonly Notice[]): void;
}

export interface ChangeWebhooks {
  /**
   * Subscribes to a target at the upstream while it has a listener, and for a poll interval (at most a minute) afterwards.
   * Returns the function that removes the listener.
   */
  listen(target: SubscriptionTarget, listener: WebhookListener): () => void;
  /**
   * Handles the body of a notification request and shares its notices with all replicas. Returns false if it is
   * invalid.
   */
  receive(text: string): boolean;
  stop(): Promise<void>;
}

export interface ChangeWebhooksOptions extends Omit<UpstreamSubscriptionsOptions, 'clientStates'> {
  /** The first derives the `clientState` of subscriptions; those of all are accepted. */
  readonly secrets: readonly string[];
  readonly bus: Bus;
  readonly pollMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

/** The factor of the poll interval while webhooks are active. Polls continue because notifications may be lost. */
export const activePollFactor = 20;
const maxGraceMs = 60_000;

export function createChangeWebhooks(options: ChangeWebhooksOptions): ChangeWebhooks {
  const { notificationUrl, secrets, sets, bus, pollMs, log } = options;
  const parseSharedNotices = createSharedNoticesParser(sets);
  const clientStates = createClientStates(secrets, notificationUrl);
  const topicFor = (...parts: readonly string[]) =>
    `records ${hash('sha256', JSON.stringify([notificationUrl, ...parts]), 'base64url')}`;
  const registrations = createRegistrations({
    subscriptions: createUpstreamSubscriptions({ ...options, clientStates }),
    bus,
    topicFor: ({ companyId, type }) => topicFor(companyId, type),
    graceMs: Math.min(pollMs, maxGraceMs),
    retryMs: pollMs,
    checkMs: pollMs * activePollFactor,
    log,
  });
  const dispatcher = createNoticeDispatcher();
  const joined: Promise<BusMember> = bus.join(
    topicFor(),
    (message) => void dispatcher.dispatch(parseSharedNotices(message)),
  );

  return {
    listen({ companyId, type }, listener) {
      const target = { companyId, type: typeOfSubscription(sets, type) };
      const unsubscribe = dispatcher.listen(target, listener.onNotices);
      const unregister = registrations.register(target, listener.onActiveChange);
      return () => {
        unsubscribe();
        unregister();
      };
    },

    receive(text) {
      const parsed = parseNotifications(text, sets, clientStates);
      if (parsed === null) return false;
      const { notices, isForged, unreadable } = parsed;
      if (isForged || unreadable > 0) log.warn({ isForged, unreadable }, 'Notifications were ignored.');
      dispatcher.dispatch(notices);
      if (notices.length > 0) void joined.then((member) => member.publish(JSON.stringify(notices)));
      return true;
    },

    async stop() {
      await registrations.stop();
      (await joined).leave();
    },
  };
}

type NoticeListener = (notices: readonly Notice[]) => void;

function createNoticeDispatcher() {
  const listeners = new Map<string, Set<NoticeListener>>();

  return {
    /** Returns the function that unsubscribes. */
    listen(target: SubscriptionTarget, listener: NoticeListener): () => void {
      const key = getTargetKey(target);
      const ofTarget = getOrCompute(listeners, key, () => new Set<NoticeListener>());
      ofTarget.add(listener);
      return () => {
        ofTarget.delete(listener);
        if (ofTarget.size === 0 && listeners.get(key) === ofTarget) listeners.delete(key);
      };
    },

    dispatch(notices: readonly TargetedNotice[]): void {
      const byTarget = new Map<string, Notice[]>();
      for (const target of notices)
        getOrCompute(byTarget, getTargetKey(target), () => []).push(target.notice);
      for (const [key, group] of byTarget) for (const listener of listeners.get(key) ?? []) listener(group);
    },
  };
}

const getTargetKey = ({ companyId, type }: SubscriptionTarget) => `${companyId} ${type}`;
