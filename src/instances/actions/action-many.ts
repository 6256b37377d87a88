import { InputError, UpstreamError } from '../../errors.ts';
import { createUserError, type UserError } from '../../graph/user-errors.ts';
import { type Deadline, startDeadline } from '../../runtime/deadline.ts';
import { createEntriesByKey, type EntriesByKey } from '../../runtime/entries-by-key.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { createSemaphore, type Semaphore } from '../../runtime/semaphore.ts';
import { type ActionTarget, addressKey } from '../instance-address.ts';
import type { ActionResult } from './action-sender.ts';

// The service stops instances of one machine one after another, and counts the requests of each subscription.
const maxPerSubscription = 5;

/** Limits the concurrent requests per caller and subscription, over all mutations of this process. */
export type SubscriptionLimits = EntriesByKey<Semaphore>;

export const createSubscriptionLimits = (): SubscriptionLimits =>
  createEntriesByKey(
    () => createSemaphore(maxPerSubscription),
    (limit) => limit.isIdle(),
  );

/**
 * Sends one action per target, within the limit of its subscription and until `timeoutMs` have passed. A target that is
 * named twice is sent once. An action that is not sent, or certainly not carried out, is NOT_STARTED; it does not
 * affect the others. Rejects only if every action fails with an `InputError`.
 */
export async function sendMany(
  targets: readonly (ActionTarget | ActionResult)[],
  send: (target: ActionTarget, waitDeadline: Deadline) => Promise<ActionResult>,
  getLimit: (subscriptionId: string) => Semaphore,
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
            getLimit(target.subscriptionId)(() => sendInTime(target)),
          ),
    ),
  );
  deadline.end();
  const failures = settled.map((result) => (result.status === 'rejected' ? result.reason : null));
  if (failures.every((failure) => failure instanceof InputError)) throw failures[0];
  return settled.map((result, index) => {
    const { operation, userErrors } =
      result.status === 'fulfilled'
        ? result.value
        : { operation: null, userErrors: [toNotStartedError(result.reason)] };
    return {
      operation,
      userErrors: userErrors.map((error) => ({ ...error, path: toPathInList(error.path, index) })),
    };
  });
}

const notSent = createUserError(
  'NOT_STARTED',
  'The time for sending was over before its turn came. Nothing was started; send it again.',
);

function toNotStartedError(error: unknown): UserError {
  if (!(error instanceof UpstreamError || error instanceof InputError)) throw error;
  const message = `${error.message} Nothing was started; send it again.`;
  return createUserError('NOT_STARTED', message, error instanceof UpstreamError ? error : null);
}

/** Converts the error path of a single action to one of the mutation with a list. */
const toPathInList = (path: readonly string[] | null, index: number): readonly string[] => {
  const [input = 'input', field, ...below] = path ?? [];
  if (path !== null && field !== 'instance') return path;
  return [input, 'instances', String(index), ...below];
};
