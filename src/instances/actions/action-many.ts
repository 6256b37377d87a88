import { InputError, UpstreamError } from '../../errors.ts';
import type { UserError } from '../../graph/user-errors.ts';
import { type Deadline, startDeadline } from '../../runtime/deadline.ts';
import { createEntriesByKey, type EntriesByKey } from '../../runtime/entries-by-key.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { createSemaphore, type Semaphore } from '../../runtime/semaphore.ts';
import { type ActionTarget, addressKey } from '../instance-address.ts';
import type { ActionResult } from './action-sender.ts';

// The service stops instances of one machine one after another, and counts the requests of each subscription.
const maxPerSubscription = 5;

/** Bounds the requests of each caller that are under way for each subscription, in all mutations of this process. */
export type SubscriptionLimits = EntriesByKey<Semaphore>;

export const createSubscriptionLimits = (): SubscriptionLimits =>
  createEntriesByKey(
    () => createSemaphore(maxPerSubscription),
    (limit) => limit.isIdle(),
  );

/**
 * Sends one action for each target, once where it is named twice, as `limitOf` its subscription allows, and none after
 * `timeoutMs`. One that is not sent, or fails without being carried out, is NOT_STARTED, and the others are sent all the
 * same. Rejects only where nothing could be sent for the caller.
 */
export async function sendMany(
  targets: readonly (ActionTarget | ActionResult)[],
  send: (target: ActionTarget, waitDeadline: Deadline) => Promise<ActionResult>,
  limitOf: (subscriptionId: string) => Semaphore,
  timeoutMs: number,
): Promise<readonly ActionResult[]> {
  const deadline = startDeadline(timeoutMs);
  const sendInTime = async (target: ActionTarget): Promise<ActionResult> =>
    deadline.isExpired ? { operation: null, userErrors: [notSent] } : send(target, deadline);
  const results = new Map<string, Promise<ActionResult>>();
  const settled = await Promise.allSettled(
    targets.map((target) =>
      'userErrors' in target
        ? target
        : getOrCompute(results, addressKey(target), () =>
            limitOf(target.subscriptionId)(() => sendInTime(target)),
          ),
    ),
  );
  deadline.end();
  const refusals = settled.map((one) => (one.status === 'rejected' ? one.reason : null));
  if (refusals.every((reason) => reason instanceof InputError)) throw refusals[0];
  return settled.map((one, index) => {
    const { operation, userErrors } =
      one.status === 'fulfilled' ? one.value : { operation: null, userErrors: [notStarted(one.reason)] };
    return {
      operation,
      userErrors: userErrors.map((error) => ({ ...error, path: pathAt(error.path, index) })),
    };
  });
}

const notSent: UserError = {
  code: 'NOT_STARTED',
  message: 'The time for sending was over before its turn came. Nothing was started; send it again.',
  path: null,
  upstream: null,
};

function notStarted(error: unknown): UserError {
  if (!(error instanceof UpstreamError || error instanceof InputError)) throw error;
  const message = `${error.message} Nothing was started; send it again.`;
  const upstream = error instanceof UpstreamError ? error.detail : null;
  return { code: 'NOT_STARTED', message, path: null, upstream };
}

/** The path of an error of one instance, in the input of all. */
const pathAt = (path: readonly string[] | null, index: number): readonly string[] => {
  const [input = 'input', field, ...below] = path ?? [];
  if (path !== null && field !== 'instance') return path;
  return [input, 'instances', String(index), ...below];
};
