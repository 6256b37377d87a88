import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Bus, Member } from '../operations/bus.ts';
import type { Access } from '../upstream/access.ts';
import type { Client } from '../upstream/client.ts';
import { createClientStates, type Target } from './client-state.ts';
import {
  type Notice,
  readNotifications,
  readTold,
  type TargetedNotice,
  type TypesBySet,
} from './notifications.ts';
import { createRegistrations } from './registrations.ts';
import { createSubscriptions } from './subscriptions.ts';

/** Whoever wants to hear of the changes of a target. */
export interface Hearer {
  /** Whether the upstream tells of changes: if not, they have to be looked for. */
  stand(isStanding: boolean): void;
  notice(notices: readonly Notice[]): void;
}

export interface Webhooks {
  /** The upstream is asked to tell, as long as anyone listens. */
  listen(target: Target, hearer: Hearer): () => void;
  /**
   * Takes what came as a notification; null stands for one that is too long to be read. False where it is none.
   * Every replica hears of it, whichever the upstream has reached.
   */
  receive(text: string | null): boolean;
  stop(): Promise<void>;
}

export interface WebhooksOptions {
  readonly client: Client;
  /** In the layer's own name. */
  readonly access: Access;
  /** Where the upstream sends notifications. */
  readonly notificationUrl: string;
  /** The first makes the words by which notifications are known, all prove them. */
  readonly secrets: readonly string[];
  readonly types: TypesBySet;
  readonly bus: Bus;
  readonly pollMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

/** How many times rarer a target is polled while the upstream tells of its changes: it may miss some. */
export const slowness = 20;
// An upstream sends a notification again when it has not heard that it arrived.
const maxRemembered = 10_000;
// What replicas tell each other where a notification was too long to be read.
const all = '"all"';
const graceOf = (pollMs: number) => Math.min(pollMs, 60_000);

export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { client, access, notificationUrl, secrets, types, bus, pollMs, log } = options;
  const clientStates = createClientStates(secrets, notificationUrl);
  const topic = (...parts: readonly string[]) =>
    `records ${createHash('sha256')
      .update(JSON.stringify([notificationUrl, ...parts]))
      .digest('base64url')}`;
  const registrations = createRegistrations({
    subscriptions: createSubscriptions({ client, access, notificationUrl, clientStates, types }),
    bus,
    topicOf: ({ companyId, type }) => topic(companyId, type),
    graceMs: graceOf(pollMs),
    retryMs: pollMs,
    checkMs: pollMs * slowness,
    log,
  });

  const hearers = new Map<string, Set<Hearer>>();
  const keyOf = ({ companyId, type }: Target) => `${companyId} ${type}`;
  const remembered = new LRUCache<string, true>({ max: maxRemembered });

  /** Hands on what is new; false where nothing is. */
  const handOn = (told: readonly TargetedNotice[]): TargetedNotice[] => {
    const fresh = told.flatMap((one): TargetedNotice[] => {
      const key = JSON.stringify(one);
      const isKnown = remembered.has(key);
      remembered.set(key, true);
      if (!isKnown) return [one];
      // Another collection may tell of the same time; what the first told need not be found again.
      return one.notice.kind === 'many' ? [{ ...one, notice: { kind: 'many', since: null } }] : [];
    });
    const groups = new Map<string, Notice[]>();
    for (const one of fresh) {
      const group = groups.get(keyOf(one)) ?? [];
      groups.set(keyOf(one), group);
      group.push(one.notice);
    }
    for (const [key, notices] of groups) for (const hearer of hearers.get(key) ?? []) hearer.notice(notices);
    return fresh;
  };

  let lookedAt = 0;
  /** Something has changed somewhere: no more often than it is polled anyway, since anyone can say so. */
  const lookAtAll = (): boolean => {
    if (Date.now() - lookedAt < pollMs) return false;
    lookedAt = Date.now();
    for (const each of hearers.values())
      for (const hearer of each) hearer.notice([{ kind: 'many', since: null }]);
    return true;
  };

  const joined: Promise<Member> = bus.join(topic(), (message) => {
    if (message === all) lookAtAll();
    else handOn(readTold(message));
  });
  const tell = (message: string) => void joined.then((member) => member.tell(message));

  return {
    listen(target, hearer) {
      const key = keyOf(target);
      const ofTarget = hearers.get(key) ?? new Set();
      hearers.set(key, ofTarget.add(hearer));
      const letGo = registrations.hold(target, hearer.stand);
      return () => {
        ofTarget.delete(hearer);
        if (ofTarget.size === 0 && hearers.get(key) === ofTarget) hearers.delete(key);
        letGo();
      };
    },

    receive(text) {
      if (text === null) {
        if (lookAtAll()) tell(all);
        return true;
      }
      const read = readNotifications(text, types, clientStates);
      if (read === null) return false;
      const { notices, isForged, unreadable } = read;
      if (isForged || unreadable > 0) log.warn({ isForged, unreadable }, 'Notifications were ignored.');
      const fresh = handOn(notices);
      if (fresh.length > 0) tell(JSON.stringify(fresh));
      return true;
    },

    async stop() {
      await registrations.stop();
      (await joined).leave();
    },
  };
}
