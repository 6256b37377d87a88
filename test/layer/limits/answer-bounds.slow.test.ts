import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startIssuerForTest } from '../../support/issuer.ts';
import { startBeforeStub, startLayerForTest, type TestLayer } from '../../support/layer.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

const hex = (n: number) => n.toString(16).padStart(12, '0');
const idOf = (n: number) => `5d115c9c-44e3-4a11-bb43-${hex(n)}`;
const linesOfOrder = 300;

/** A layer before an upstream whose orders have three hundred lines each, and whose records are as many as are asked for. */
const startBeforeLongOrders = () =>
  startBeforeStub(
    ({ target, headers }) => {
      const url = new URL(target, 'http://upstream');
      const set = /(\w+)(?:\(([^)]*)\))?$/.exec(url.pathname);
      const row = (n: number) => ({
        id: idOf(n),
        number: `N${n}`,
        displayName: 'x'.repeat(50),
        salesOrderLines: Array.from({ length: linesOfOrder }, (_, line) => ({
          id: idOf(line),
          itemId: idOf(line),
          itemNo: String(line),
          lineType: 'Item',
          description: 'y'.repeat(100),
        })),
      });
      if (set?.[2]) return { body: row(1) };
      const named = url.searchParams.get('$filter')?.match(/[0-9a-f]{12}(?=( |$))/g);
      const size = Number(/maxpagesize=(\d+)/.exec(String(headers.prefer))?.[1] ?? 1);
      return {
        body: {
          value: named
            ? named.map((id) => row(Number.parseInt(id, 16)))
            : Array.from({ length: size }, (_, n) => row(n)),
        },
      };
    },
    { MAX_COST: '1000', MAX_ANSWER_BYTES: '200000' },
  );

const codesOf = ({ errors }: { errors?: readonly { extensions: Record<string, unknown> }[] }) =>
  errors?.map(({ extensions }) => extensions.code);

test('a response of more rows than allowed ends when they have arrived, before related records are requested', async () => {
  const { layer, stub } = await startBeforeLongOrders();
  const query = '{ company { salesOrders(first: 4) { nodes { documentLines { id item { id } } } } } }';
  const answer = await layer.query(query);

  expect(codesOf(answer)).toEqual(['QUERY_TOO_COMPLEX']);
  expect(answer.errors?.[0]?.message).toContain('more than 1000 rows');
  expect(answer.data).toBeUndefined();
  expect(answer.status).toBe(400);
  expect(stub.requests.filter(({ target }) => target.includes('/items'))).toEqual([]);
});

test('a response of more bytes than allowed, by cursors, is QUERY_TOO_COMPLEX', async () => {
  const { layer } = await startBeforeLongOrders();
  const edges = [...'abcdefghij'].map((name) => `${name}: edges { cursor }`).join(' ');
  const answer = await layer.query(`{ company { customers(first: 400) { ${edges} } } }`);

  expect(codesOf(answer)).toEqual(['QUERY_TOO_COMPLEX']);
  expect(answer.errors?.[0]?.message).toContain('200000 bytes');
  expect(answer.data).toBeUndefined();
});

const query = '{ healthEvent(trackingId: "SA_5-XYZ") { title summary } }';
/** Resolves when the response has begun, of which no more is read than fits into the socket's buffer. */
const send = async (layer: TestLayer, token: string): Promise<Socket> => {
  const body = JSON.stringify({ query });
  const socket = connect(Number(new URL(layer.url).port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'readable');
  return socket;
};

test('responses that clients do not read count for their caller until they are read or aborted, and for no other', {
  timeout: 180_000,
}, async () => {
  const [issuer, sandbox] = [await startIssuerForTest(), await startTestSandbox()];
  onTestFinished(() => sandbox.stop());
  const layer = await startLayerForTest(sandbox.url, {
    ...issuer.settings,
    MAX_ANSWER_BYTES: String(16 * 1024 * 1024),
  });
  await sandbox.send('POST', '/sandbox/events', {
    trackingId: 'SA_5-XYZ',
    properties: { title: 'a'.repeat(4_500_000), summary: 'b'.repeat(4_500_000) },
  });
  const [greedy, other] = [await issuer.token('greedy'), await issuer.token('other')];
  const asking = (token: string) => layer.query(query, {}, { authorization: `Bearer ${token}` });

  const unread = await Promise.all([send(layer, greedy), send(layer, greedy), send(layer, greedy)]);

  const refused = await asking(greedy);
  expect(codesOf(refused)).toEqual(['OVERLOADED']);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(
    codesOf(await layer.query('{ __typename }', {}, { authorization: `Bearer ${greedy}` })),
  ).toBeUndefined();
  expect((await asking(other)).data.healthEvent.title).toHaveLength(4_500_000);

  for (const socket of unread) socket.destroy();
  await expect.poll(async () => codesOf(await asking(greedy))).toBeUndefined();
});
