import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamClient } from '../http/client.ts';
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
} from './upstream-subscriptions.ts';
import { typeOfSubscription, type WatchedSet } from './watched-sets.ts';

export interface WebhookListener {
  /** Whether the upstream sends notifications now. While it does not, changes have to be polled. */
  onActiveChange(isActive: boolean): void;
  onNotices(notices: readonly Notice[]): void;
}

export interface ChangeWebhooks {
  /** Subscribes to a target at the upstream for as long as anyone listens to it. Returns how to unsubscribe. */
  listen(target: SubscriptionTarget, listener: WebhookListener): () => void;
  /**
   * Takes the body of a notification. Returns false for a body that is none. The replica that the upstream has reached
   * shares the notices with all others.
   */
  receive(text: string): boolean;
  stop(): Promise<void>;
}

export interface ChangeWebhooksOptions {
  readonly client: UpstreamClient;
  /** With a token of Tributary itself, not of a caller. */
  readonly access: Access;
  readonly notificationUrl: string;
  /** The first makes the `clientState` of subscriptions; all are accepted. */
  readonly secrets: readonly string[];
  readonly sets: readonly WatchedSet[];
  readonly bus: Bus;
  readonly pollMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

/** How many times longer the poll interval of a target is while its webhook is active: notifications may be lost. */
export const activePollFactor = 20;
const maxGraceMs = 60_000;

export function createChangeWebhooks(options: ChangeWebhooksOptions): ChangeWebhooks {
  const { client, access, notificationUrl, secrets, sets, bus, pollMs, log } = options;
  const parseSharedNotices = createSharedNoticesParser(sets);
  const clientStates = createClientStates(secrets, notificationUrl);
  const topicFor = (...parts: readonly string[]) =>
    `records ${createHash('sha256')
      .update(JSON.stringify([notificationUrl, ...parts]))
      .digest('base64url')}`;
  const registrations = createRegistrations({
    subscriptions: createUpstreamSubscriptions({ client, access, notificationUrl, clientStates, sets }),
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

/** Hands notices to the listeners of their target. */
function createNoticeDispatcher() {
  const listeners = new Map<string, Set<NoticeListener>>();

  return {
    /** Returns how to unsubscribe. */
    listen(target: SubscriptionTarget, listener: NoticeListener): () => void {
      const key = targetKey(target);
      const ofTarget = listeners.get(key) ?? new Set();
      listeners.set(key, ofTarget.add(listener));
      return () => {
        ofTarget.delete(listener);
        if (ofTarget.size === 0 && listeners.get(key) === ofTarget) listeners.delete(key);
      };
    },

    dispatch(notices: readonly TargetedNotice[]): void {
      const byTarget = new Map<string, Notice[]>();
      for (const notice of notices) getOrCompute(byTarget, targetKey(notice), () => []).push(notice.notice);
      for (const [key, group] of byTarget) for (const listener of listeners.get(key) ?? []) listener(group);
    },
  };
}

const targetKey = ({ companyId, type }: SubscriptionTarget) => `${companyId} ${type}`;
