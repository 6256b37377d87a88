import { expect } from 'vitest';
import type { Json } from '../support/json.ts';
import type { Reply, useSandbox } from './caller.ts';

export const subscription = '11111111-2222-4333-8444-555555555555';
export const instances = `/subscriptions/${subscription}/resourceGroups/rg-north/providers/Vendor.Workloads/virtualInstances/N01/applicationInstances`;
export const version = 'api-version=2023-04-01';

/** The address of an operation's status, whatever the spelling of its header. */
export function addressOf({ headers }: Reply): string {
  return headers.get('vendor-asyncoperation') ?? headers.get('azure-asyncoperation') ?? '';
}

/** Path and query of an address in any form. */
export function localPart(address: string): string {
  return `/${address.replace(/^(?:https?:)?\/\/[^/]*/, '').replace(/^\//, '')}`;
}

/** Calls about the instances of a sandbox. */
export function instanceCalls(sandbox: ReturnType<typeof useSandbox>) {
  const act = (action: string) => (name: string, body?: unknown) =>
    sandbox.post(`${instances}/${encodeURIComponent(name)}/${action}?${version}`, body);

  async function read(name: string): Promise<Json> {
    return (await sandbox.get(`${instances}/${encodeURIComponent(name)}?${version}`)).body;
  }

  /** Every different answer of an address until one passes. */
  async function until(address: string, isLast: (reply: Reply) => boolean): Promise<Reply[]> {
    const seen: Reply[] = [];
    const poll = async () => {
      const reply = await sandbox.get(localPart(address));
      if (seen.at(-1)?.text !== reply.text || seen.at(-1)?.status !== reply.status) seen.push(reply);
      return isLast(reply);
    };
    await expect.poll(poll, { interval: 5 }).toBe(true);
    return seen;
  }

  /** The bodies of a status until its operation has ended. */
  async function follow(address: string): Promise<Json[]> {
    const ends = ['Succeeded', 'Failed', 'Canceled'];
    const seen = await until(
      address,
      ({ body }) => body?.endTime !== undefined || ends.includes(body?.status),
    );
    return seen.map(({ body }) => body);
  }

  return { stop: act('stop'), start: act('start'), read, until, follow };
}
