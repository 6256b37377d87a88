import { LRUCache } from 'lru-cache';
import type { SubscriptionTarget } from './client-state.ts';
import type { Notice } from './notices.ts';
import type { TargetedNotice } from './notifications.ts';

export type NoticeListener = (notices: readonly Notice[]) => void;

/** Hands notices to the listeners of their target, each notice once. */
export interface NoticeDispatcher {
  /** Returns how to unsubscribe. */
  listen(target: SubscriptionTarget, listener: NoticeListener): () => void;
  /** Returns the notices that were not dispatched before. */
  dispatch(notices: readonly TargetedNotice[]): readonly TargetedNotice[];
  /** Tells every listener that something has changed; false, and nothing done, within `minIntervalMs` of the last time. */
  dispatchToAll(): boolean;
}

// Upstreams send a notification again when they have not received its acknowledgement.
const maxSeenNotices = 10_000;

/** `minIntervalMs` protects `dispatchToAll`, which anyone can cause: no secret is checked before it. */
export function createNoticeDispatcher(minIntervalMs: number): NoticeDispatcher {
  const listeners = new Map<string, Set<NoticeListener>>();
  const seen = new LRUCache<string, true>({ max: maxSeenNotices });
  let dispatchedToAllAt = Number.NEGATIVE_INFINITY;

  const withoutSeen = (notice: TargetedNotice): TargetedNotice[] => {
    // Without a time it cannot be told from the next.
    if (notice.notice.kind !== 'many' && notice.notice.at === null) return [notice];
    const key = JSON.stringify(notice);
    const isSeen = seen.has(key);
    seen.set(key, true);
    if (!isSeen) return [notice];
    // A second collection of changes may have the same time as the first, whose changes are reported already.
    return notice.notice.kind === 'many' ? [{ ...notice, notice: { kind: 'many', since: null } }] : [];
  };

  return {
    listen(target, listener) {
      const key = targetKey(target);
      const ofTarget = listeners.get(key) ?? new Set();
      listeners.set(key, ofTarget.add(listener));
      return () => {
        ofTarget.delete(listener);
        if (ofTarget.size === 0 && listeners.get(key) === ofTarget) listeners.delete(key);
      };
    },

    dispatch(notices) {
      const fresh = notices.flatMap(withoutSeen);
      const byTarget = new Map<string, Notice[]>();
      for (const notice of fresh) {
        const key = targetKey(notice);
        const group = byTarget.get(key);
        if (group) group.push(notice.notice);
        else byTarget.set(key, [notice.notice]);
      }
      for (const [key, group] of byTarget) for (const listener of listeners.get(key) ?? []) listener(group);
      return fresh;
    },

    dispatchToAll() {
      if (performance.now() - dispatchedToAllAt < minIntervalMs) return false;
      dispatchedToAllAt = performance.now();
      for (const ofTarget of listeners.values())
        for (const listener of ofTarget) listener([{ kind: 'many', since: null }]);
      return true;
    },
  };
}

const targetKey = ({ companyId, type }: SubscriptionTarget) => `${companyId} ${type}`;
