import { describe, expect, test } from 'vitest';
import { UpstreamError } from '../../../src/errors.ts';
import { readEventList } from '../../../src/health/event-list.ts';
import { createForwardedAccess } from '../../../src/http/auth/access.ts';
import type { UpstreamClient } from '../../../src/http/client.ts';

const place = { namespace: 'Vendor.Health', apiVersion: '2025-05-01' };
const path = '/providers/Vendor.Health/events?api-version=2025-05-01';

/** A list whose pages are given one after the other, and the paths that were asked. */
async function read(
  pages: readonly unknown[],
  since: string | null = null,
  subscriptionId: string | null = null,
) {
  const paths: string[] = [];
  const client: UpstreamClient = {
    async send({ method, path: asked, access }) {
      expect([method, await access.getToken()]).toEqual(['GET', 'tester']);
      paths.push(asked);
      return { status: 200, headers: {}, body: pages[paths.length - 1], bytes: null, redact: (text) => text };
    },
    open: () => expect.unreachable('A list is not read as a stream.'),
    recordPartFailure: () =>
      new UpstreamError('UPSTREAM_REJECTED', 'no', { upstream: 'health', delivery: 'rejected' }),
    clockOffsetMs: () => 0,
    close: async () => {},
  };
  const events = await readEventList(
    client,
    place,
    createForwardedAccess('health', 'tester', { principal: 'tester' }),
    {
      subscriptionId,
      since,
    },
  );
  return { paths, events, names: events.map(({ trackingId }) => trackingId) };
}

const row = (name: string, lastUpdateTime?: string) => ({ name, properties: { lastUpdateTime } });

test('a page is read with the parameters of its link, and api-version once', async () => {
  const { paths, names } = await read([
    { value: [row('A')], nextLink: `http://x${path}&$skipToken=1%20a` },
    { value: [row('B')], nextLink: `${path}&queryStartTime=1%2F2%2F2025&$skipToken=2` },
    { value: [] },
  ]);

  expect(paths).toEqual([
    path,
    `${path}&$skipToken=1%20a`,
    `${path}&queryStartTime=1%2F2%2F2025&$skipToken=2`,
  ]);
  expect(names).toEqual(['A', 'B']);
});

test('an event that moves to the next page meanwhile is returned once, as it was first', async () => {
  const { events } = await read([
    { value: [row('A'), row('B', '2025-01-01T00:00:00Z')], nextLink: `${path}&$skipToken=1` },
    { value: [row('B', '2025-01-02T00:00:00Z'), row('C')] },
  ]);

  expect(events).toMatchObject([
    { trackingId: 'A', scope: 'tenant', isPlain: true },
    { trackingId: 'B', lastUpdateTime: '2025-01-01T00:00:00Z' },
    { trackingId: 'C' },
  ]);
});

describe('since', () => {
  test.each([
    ['2025-01-02T03:04:05Z', '1%2F2%2F2025'],
    ['2024-12-31T23:59:59.9999999Z', '12%2F31%2F2024'],
  ])('%s is sent as the day %s', async (since, day) => {
    const { paths } = await read([{ value: [] }], since, 'sub-1');

    expect(paths).toEqual([`/subscriptions/sub-1${path}&queryStartTime=${day}`]);
  });

  test('leaves out older events, to the last digit, and none without a time', async () => {
    const value = [
      row('older', '2025-01-02T03:04:05.1203529Z'),
      row('the same', '2025-01-02T03:04:05.120353Z'),
      row('later', '2025-01-02T03:04:05.2Z'),
      row('unknown'),
    ];

    expect((await read([{ value }], '2025-01-02T03:04:05.1203530Z')).names).toEqual([
      'the same',
      'later',
      'unknown',
    ]);
  });
});

test.each([
  [
    'a page that was there before',
    [`${path}&$skipToken=1`, `${path}&$skipToken=2`, `${path}&$skipToken=1`],
    3,
  ],
  ['more than fifty pages', Array.from({ length: 60 }, (_, page) => `${path}&$skipToken=${page}`), 50],
])('a list that leads to %s is UPSTREAM_BAD_RESPONSE', async (_where, links, calls) => {
  const asked: unknown[] = [];
  const pages = links.map((nextLink) => ({
    get value() {
      asked.push(nextLink);
      return [];
    },
    nextLink,
  }));

  await expect(read(pages)).rejects.toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', upstream: 'health' });
  expect(asked).toHaveLength(calls);
});
