import { createHash } from 'node:crypto';
import { test as base, expect } from 'vitest';
import { fixture } from '../../support/fixture.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { asDeployed, methodsOf, requestsOf, testDisturbed } from '../../support/proxies/disturbed.ts';
import { startFaultProxy } from '../../support/proxies/fault-proxy.ts';
import type { Toxic } from '../../support/proxies/toxics.ts';
import { type StubRequest, startStub } from '../../support/stub.ts';

const digestOf = (token: unknown) => createHash('sha256').update(String(token)).digest('hex').slice(0, 8);

/** Every answer says whose it is, and what was asked for. */
function answer({ target, headers }: StubRequest) {
  const [, name] = /displayName eq '([^']*)'/.exec(decodeURIComponent(target)) ?? [];
  const row = { id: '00000000-0000-4000-8000-000000000001', displayName: name };
  return { body: { value: [{ ...row, city: digestOf(headers.authorization), website: 'x'.repeat(300) }] } };
}

const test = base.extend(
  'scene',
  fixture(async ({ onCleanup }) => {
    const stub = await startStub(answer);
    const proxy = await startFaultProxy(stub.url);
    const layer = await startTestLayer(proxy.url, {
      ...asDeployed,
      REQUEST_TIMEOUT_MS: '3000',
      UPSTREAM_CONNECTIONS: '16',
    });
    onCleanup(async () => {
      await layer.stop();
      proxy.stop();
      stub.stop();
    });
    return { stub, proxy, layer };
  }),
);

/** Asks for something that nobody else does: true where it is told, false where an error is. */
async function ask(layer: TestLayer, number: number, caller: number): Promise<boolean> {
  const authorization = `Bearer one-of-many-callers-${caller}`;
  const { data, errors } = await layer.query(
    `{ company { customers(first: 1, filter: { displayName: { eq: "n${number}" } }) { nodes { displayName city } } } }`,
    {},
    { authorization },
  );
  if (errors) {
    expect(errors).toMatchObject([{ extensions: { code: expect.stringMatching(/^UPSTREAM_/) } }]);
    return false;
  }
  expect(data.company.customers.nodes).toEqual([
    { displayName: `n${number}`, city: digestOf(authorization) },
  ]);
  return true;
}

const text = (change: (answer: string) => string) => (whole: Buffer) =>
  Buffer.from(change(whole.toString('latin1')), 'latin1');
const other = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n{"value":[]}';

/**
 * Answers that no server should give, and whether there is one in them that can be told from others. A second one that
 * comes only when the next request is on its way over the same connection is taken for the answer to that: HTTP/1.1 has
 * nothing to tell them apart by.
 */
const odd: Readonly<Record<string, readonly [Toxic, isTold: boolean]>> = {
  'with that to nobody behind it': [{ rewrite: text((whole) => whole + other) }, true],
  'of HTTP/1.0 that ends with its connection': [
    {
      rewrite: text((whole) => whole.replace('HTTP/1.1', 'HTTP/1.0').replace(/connection: .*\r\n/i, '')),
      cutAt: 'end',
    },
    true,
  ],
  'with a length that is too long': [
    {
      rewrite: text((whole) =>
        whole.replace(/content-length: \d+|transfer-encoding: chunked/i, 'content-length: 9999'),
      ),
      cutAt: 'end',
    },
    true,
  ],
  'with a length that is too short': [
    {
      rewrite: text((whole) =>
        whole.replace(/content-length: \d+|transfer-encoding: chunked/i, 'content-length: 5'),
      ),
    },
    false,
  ],
  'of a protocol there is not': [{ rewrite: text((whole) => whole.replace('HTTP/1.1', 'HTTQ/7')) }, true],
  'that changes the protocol': [
    {
      rewrite: () =>
        Buffer.from('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    },
    true,
  ],
};

test.for(Object.entries(odd))(
  'a response %s reaches its own request or none, and the next request uses a clean connection',
  async ([, [toxic, isTold]], { scene: { layer, proxy } }) => {
    let told = 0;
    for (let round = 0; round < 2; round += 1) {
      proxy.next(toxic);
      if (await ask(layer, 2 * round, 1)) told += 1;
      expect(await ask(layer, 2 * round + 1, 2)).toBe(true);
    }

    expect(told).toBe(isTold ? 2 : 0);
  },
);

test('a kept-alive connection that breaks when it is used costs a read one retry and nothing else', async ({
  scene: { layer, proxy, stub },
}) => {
  expect(await ask(layer, 1, 1)).toBe(true);
  for (let number = 2; number < 8; number += 1) {
    proxy.next({ kept: true, unheard: true });
    expect(await ask(layer, number, 1)).toBe(true);
  }

  expect(requestsOf(proxy)).toHaveLength(7 + 6);
  expect(stub.requests).toHaveLength(7);
});

const disturbedTest = testDisturbed();

const list = '{ company { customers(first: 3) { nodes { id displayName } } } }';
const create = `mutation { createCustomer(input: { displayName: "Grønn" }) {
  customer { displayName } userErrors { code }
} }`;

/** Answers with neither a length nor chunks: the body ends where the connection does. */
const undelimited = (bodyOf: (body: string) => string): Toxic => ({
  cutAt: 'end',
  rewrite(answer) {
    const whole = answer.toString('latin1');
    const end = whole.indexOf('\r\n\r\n');
    const [head, body] = [whole.slice(0, end), whole.slice(end + 4)];
    return Buffer.from(`${head.replace(/\r\ncontent-length:[^\r]*/i, '')}\r\n\r\n${bodyOf(body)}`, 'latin1');
  },
});
const half = (body: string) => body.slice(0, body.length / 2);
const withinCharacter = (body: string) =>
  `${body.slice(0, body.indexOf('"displayName":"') + 15)}${String.fromCharCode(0xc3)}`;

disturbedTest(
  'a response without a length is complete where its JSON is; one that is cut off is read again, and a create found',
  async ({ disturbed, proxy, sandbox }) => {
    for (const [bodyOf, calls] of [
      [(body: string) => body, 1],
      [() => '', 2],
      [half, 2],
      [withinCharacter, 2],
      [(body: string) => body.trimEnd().slice(0, -1), 2],
    ] as const) {
      const before = requestsOf(proxy).length;
      proxy.next(undelimited(bodyOf));
      const { data, errors } = await disturbed.query(list);

      expect(errors).toBeUndefined();
      expect(data.company.customers.nodes).toHaveLength(3);
      expect(requestsOf(proxy).length - before).toBe(calls);
    }
    await sandbox.forgetCalls();
    proxy.next({ ...undelimited(half), on: 'POST' });
    const { data } = await disturbed.query(create);

    expect(data.createCustomer).toEqual({ customer: { displayName: 'Grønn' }, userErrors: [] });
    expect(await methodsOf(sandbox)).toEqual(['POST', 'GET']);
  },
);
