import { setTimeout as sleep } from 'node:timers/promises';
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

/** Calls about the instances of a sandbox, by the names that say how they answer. */
export function instanceCalls(sandbox: ReturnType<typeof useSandbox>) {
  const act = (action: string) => (name: string, body?: unknown) =>
    sandbox.post(`${instances}/${encodeURIComponent(name)}/${action}?${version}`, body);

  const read = async (name: string): Promise<Json> =>
    (await sandbox.get(`${instances}/${encodeURIComponent(name)}?${version}`)).body;

  /** Every different answer of an address until one passes; fails after ten seconds. */
  async function until(address: string, isLast: (reply: Reply) => boolean): Promise<Reply[]> {
    const seen: Reply[] = [];
    for (let n = 0; n < 2_000; n += 1) {
      const reply = await sandbox.get(localPart(address));
      const before = seen.at(-1);
      if (before?.text !== reply.text || before.status !== reply.status) seen.push(reply);
      if (isLast(reply)) return seen;
      await sleep(5);
    }
    throw new Error(`expected an end, got ${seen.at(-1)?.text}`);
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

  /** The statuses an instance goes through until it has the one given. */
  async function statusesUntil(name: string, last: string): Promise<string[]> {
    const seen = await until(
      `${instances}/${name}?${version}`,
      ({ body }) => body.properties.status === last,
    );
    return seen.map(({ body }) => body.properties.status);
  }

  return { stop: act('stop'), start: act('start'), read, until, follow, statusesUntil };
}
