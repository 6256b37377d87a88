import { UpstreamError, type UpstreamName } from '../errors.ts';
import type { UpstreamClient } from './client.ts';
import type { FileCalls } from './file-calls.ts';

/** The files of such an upstream. */
export const createUnconfiguredFiles = (upstream: UpstreamName, setting: string): FileCalls => ({
  async open() {
    throw createError(upstream, setting);
  },
});

/** The client of an upstream whose address is not set: every call fails and names the setting. */
export function createUnconfiguredClient(upstream: UpstreamName, setting: string): UpstreamClient {
  return {
    recordPartFailure: () => createError(upstream, setting),
    async send() {
      throw createError(upstream, setting);
    },
    clockOffsetMs: () => 0,
    close: async () => {},
  };
}

const createError = (upstream: UpstreamName, setting: string) =>
  new UpstreamError('UPSTREAM_NOT_CONFIGURED', `This deployment has no ${setting}.`, {
    upstream,
    delivery: 'notSent',
  });
