import { UpstreamError, type UpstreamName } from '../errors.ts';
import type { UpstreamClient } from './client.ts';

/** The client of an upstream whose address is not set: every call fails and names the setting. */
export function createUnconfiguredClient(upstream: UpstreamName, setting: string): UpstreamClient {
  const createError = () =>
    new UpstreamError('UPSTREAM_NOT_CONFIGURED', `This deployment has no ${setting}.`, {
      upstream,
      delivery: 'notSent',
    });
  return {
    recordPartFailure: createError,
    async send() {
      throw createError();
    },
    close: async () => {},
  };
}
