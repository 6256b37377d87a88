import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { createOperationHandles } from '../../../src/instances/operations/operation-handle.ts';

const secret = 'the secret of the tests';
const handles = createOperationHandles([secret]);
const content = { address: '/operations/1?api-version=2023-04-01', sentAt: 1_772_357_400_000, last: null };

function opens(handle: string): boolean {
  try {
    handles.open(handle);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

describe('a handle', () => {
  test('opens to any JSON that was sealed, on another replica too', () => {
    const replica = createOperationHandles([secret]);

    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        fc.pre(JSON.stringify(value).length < 4000);

        expect(JSON.stringify(replica.open(handles.seal(value)))).toBe(JSON.stringify(value));
      }),
    );
  });

  test('differs each time, and reveals nothing of its content', () => {
    const one = handles.seal(content);
    const other = handles.seal(content);

    expect(one).not.toBe(other);
    expect(one).toMatch(/^[\w-]+$/);
    expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('operations');
  });

  test.each([
    ['the longest address of the real service', '', 700],
    ['an address of 4 KB', randomBytes(2_800).toString('base64url'), 5_800],
  ])('of %s is short', (_what, more, maxLength) => {
    const path = `/subscriptions/${randomUUID()}/providers/Vendor.Workloads/locations/NORTHEUROPE/operationStatuses/${randomUUID()}*${randomBytes(32).toString('hex')}?api-version=2023-04-01&t=638412345678901234&h=${randomBytes(32).toString('base64url')}${more}`;
    const sealed = {
      at: { path, isResult: false },
      sentAt: Date.now(),
      last: null,
      owner: `${randomUUID()} ${randomUUID()}`,
      action: 'stop',
      instance: {
        subscriptionId: randomUUID(),
        resourceGroupName: randomBytes(64).toString('base64url'),
        virtualInstanceName: 'N01',
        applicationInstanceName: randomBytes(24).toString('base64url'),
      },
      body: '{"softStopTimeoutSeconds":1200}',
    };
    const handle = handles.seal(sealed);

    expect(handle.length).toBeLessThanOrEqual(maxLength);
    expect(handles.open(handle)).toEqual(sealed);
  });

  test('does not open with any other last character, spare bits or not', () => {
    const handle = handles.seal(content);
    const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
    const edited = others.map((last) => `${handle.slice(0, -1)}${last}`).filter((one) => one !== handle);

    const opened = [];
    for (const one of edited) if (opens(one)) opened.push(one);

    expect(opened).toEqual([]);
  });

  test('is not another text, and the message names the argument', () => {
    expect(() => handles.open('eyJhbGciOiJub25lIn0.e30.')).toThrow(/^`id` is not the handle of an operation/);
  });
});

test('a handle longer than any that a stop creates does not open', () => {
  const handle = handles.seal('a'.repeat(65_536));

  expect(() => handles.open(handle)).toThrow(InputError);
});

test('the first secret seals, a former one opens, and a secret that is not known does not', () => {
  const older = createOperationHandles(['an old secret....']);
  const newer = createOperationHandles(['a new secret....', 'an old secret....']);

  expect(newer.open(older.seal(content))).toEqual(content);
  expect(createOperationHandles(['a new secret....']).open(newer.seal(content))).toEqual(content);
  expect(() => newer.open(handles.seal(content))).toThrow(InputError);
});

describe('a topic', () => {
  const token = 'eyJhbGciOi.canary.token';
  const address = '/operations/1?api-version=2023-04-01&c=MII%2fa';

  test('is the same for the same token and address, on every replica', () => {
    const topic = handles.topicFor(token, address);

    expect(createOperationHandles([secret]).topicFor(token, address)).toBe(topic);
    expect(topic).toMatch(/^[\w-]{43}$/);
  });

  test('differs for another token, address or secret, wherever the boundary between them is', () => {
    const topics = [
      handles.topicFor(token, address),
      handles.topicFor(`${token}~2`, address),
      handles.topicFor(token, `${address}/2`),
      handles.topicFor(`${token}/`, address.slice(1)),
      handles.topicFor('', token + address),
      handles.topicFor(token, ''),
      createOperationHandles(['another secret....']).topicFor(token, address),
    ];

    expect(new Set(topics).size).toBe(topics.length);
  });
});
