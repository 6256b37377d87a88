import { isBusinessPath } from './business/address.ts';
import { isSignInPath } from './tokens/authorize.ts';

/** The three services of the document, and the authorization server. */
export const areas = ['business', 'instances', 'health', 'sign-in'] as const;
export type Area = (typeof areas)[number];

/** The area that a request target belongs to; undefined for none. */
export function areaOf(target: string): Area | undefined {
  if (isBusinessPath(target)) return 'business';
  if (/^\/(?:subscriptions|providers)(?:[/?]|$)/i.test(target))
    return /\/(?:events|availabilityStatuses)(?:[/?]|$)/i.test(target) ? 'health' : 'instances';
  return isSignInPath(target) ? 'sign-in' : undefined;
}
