import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { createOperationHandles } from '../../../src/instances/operations/operation-handle.ts';

const secret = 'the secret of the tests';
const handles = createOperationHandles([secret]);
const content = { address: '/operations/1?api-version=2023-04-01', sentAt: 1_772_357_400_000, last: null };

async function opens(handle: string): Promise<boolean> {
  try {
    await handles.open(handle);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

describe('a handle', () => {
  test('opens to what was sealed', async () => {
    expect(await handles.open(await handles.seal(content))).toEqual(content);
  });

  test('opens to any JSON that was sealed, on another replica too', async () => {
    const replica = createOperationHandles([secret]);

    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (value) => {
        fc.pre(JSON.stringify(value).length < 4000);

        expect(JSON.stringify(await replica.open(await handles.seal(value)))).toBe(JSON.stringify(value));
      }),
    );
  });

  test('differs each time, and reveals nothing of its content', async () => {
    const one = await handles.seal(content);
    const other = await handles.seal(content);

    expect(one).not.toBe(other);
    expect(one).toMatch(/^[\w.-]+$/);
    const texts = one.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    expect(texts.join()).not.toContain('operations');
  });

  test('for an address of 4 KB has less than 6,200 characters', async () => {
    const address = `/operations/${'x'.repeat(4096 - '/operations/'.length)}`;
    const handle = await handles.seal({ ...content, address });

    expect(address).toHaveLength(4096);
    expect(handle.length).toBeLessThan(6200);
    expect(await handles.open(handle)).toMatchObject({ address });
  });

  test('does not open once any one character is replaced, deleted or inserted', async () => {
    const handle = await handles.seal(content);
    const edits = fc.tuple(
      fc.nat(),
      fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        fc.constantFrom(...'AQgw.=-_+/ \n'),
      ),
      fc.constantFrom('replace', 'delete', 'insert'),
    );

    await fc.assert(
      fc.asyncProperty(edits, async ([place, character, kind]) => {
        const at = place % (kind === 'insert' ? handle.length + 1 : handle.length);
        const edited =
          handle.slice(0, at) +
          (kind === 'delete' ? '' : character) +
          handle.slice(kind === 'insert' ? at : at + 1);
        fc.pre(edited !== handle);

        expect(await opens(edited)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test('does not open with any other last character, spare bits or not', async () => {
    const handle = await handles.seal(content);
    const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
    const edited = others.map((last) => `${handle.slice(0, -1)}${last}`).filter((one) => one !== handle);

    const opened = [];
    for (const one of edited) if (await opens(one)) opened.push(one);

    expect(opened).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['dots', '....'],
    ['a word', 'handle'],
    ['an id of the upstream', '/subscriptions/s/operations/1'],
    ['a token of somebody else', 'eyJhbGciOiJub25lIn0.e30.'],
    ['a text longer than any handle', 'a'.repeat(8193)],
    ['a very long text', `eyJ.${'.'.repeat(1_000_000)}`],
  ])('is not %s', async (_what, text) => {
    await expect(handles.open(text)).rejects.toThrow(InputError);
    await expect(handles.open(text)).rejects.toThrow(/^`id` is not the handle of an operation/);
  });
});

test('a handle longer than any that a stop creates does not open', async () => {
  const handle = await handles.seal('a'.repeat(65_536));

  await expect(handles.open(handle)).rejects.toThrow(InputError);
});

describe('when secrets rotate', () => {
  const older = createOperationHandles(['an old secret....']);
  const newer = createOperationHandles(['a new secret....', 'an old secret....']);

  test('handles of the old secret still open', async () => {
    expect(await newer.open(await older.seal(content))).toEqual(content);
  });

  test('the first secret seals', async () => {
    expect(await createOperationHandles(['a new secret....']).open(await newer.seal(content))).toEqual(
      content,
    );
  });

  test('handles of a secret that is not known do not open', async () => {
    const handle = await handles.seal(content);

    await expect(newer.open(handle)).rejects.toThrow(InputError);
  });
});

describe('a topic', () => {
  const token = 'eyJhbGciOi.canary.token';
  const address = '/operations/1?api-version=2023-04-01&c=MII%2fa';

  test('is the same for the same token and address, on every replica', () => {
    expect(createOperationHandles([secret]).topicFor(token, address)).toBe(handles.topicFor(token, address));
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

  test('has 43 characters, from which nothing can be derived', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4 }), fc.string({ minLength: 4 }), (someToken, someAddress) => {
        const topic = handles.topicFor(someToken, someAddress);

        expect(topic).toMatch(/^[\w-]{43}$/);
        expect(topic).not.toContain(someToken);
        expect(topic).not.toContain(someAddress);
      }),
    );
  });
});
