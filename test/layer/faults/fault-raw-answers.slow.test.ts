import { expect } from 'vitest';
import { stopInstance } from '../../support/operations.ts';
import { methodsOf, requestsOf, testDisturbed } from '../../support/proxies/disturbed.ts';
import type { Toxic } from '../../support/proxies/toxics.ts';

const test = testDisturbed();

const list = '{ company { customers(first: 3) { nodes { id displayName } } } }';
const create = `mutation { createCustomer(input: { displayName: "Grønn" }) {
  customer { displayName } userErrors { code }
} }`;

/** The head and the body of an answer with a `content-length`, as characters of one byte each. */
function partsOf(answer: Buffer): [head: string, body: string] {
  const text = answer.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  return [text.slice(0, end), text.slice(end + 4)];
}

const heads = {
  'HTTP/1.0': (head: string) =>
    head
      .replace(/^HTTP\/1\.1/, 'HTTP/1.0')
      .replace(/\r\n(?:connection|keep-alive|content-length):[^\r]*/gi, ''),
  '`connection: close`': (head: string) =>
    `${head.replace(/\r\n(?:connection|keep-alive|content-length):[^\r]*/gi, '')}\r\nconnection: close`,
  'neither length nor chunks': (head: string) => head.replace(/\r\ncontent-length:[^\r]*/i, ''),
};

/** Answers whose body ends where the connection does. */
const undelimited = (kind: keyof typeof heads, bodyOf: (body: string) => string): Toxic => ({
  cutAt: 'end',
  rewrite(answer) {
    const [head, body] = partsOf(answer);
    return Buffer.from(`${heads[kind](head)}\r\n\r\n${bodyOf(body)}`, 'latin1');
  },
});

const kinds = ['HTTP/1.0', '`connection: close`', 'neither length nor chunks'] as const;
const cuts = {
  'before its body': () => '',
  'in the middle': (body: string) => body.slice(0, body.length / 2),
  'within a character': (body: string) =>
    `${body.slice(0, body.indexOf('"displayName":"') + 15)}${String.fromCharCode(0xc3)}`,
  'before its last byte': (body: string) => body.trimEnd().slice(0, -1),
};

test.for(kinds)('a response with %s is complete where its JSON is', async (kind, { disturbed, proxy }) => {
  proxy.next(undelimited(kind, (body) => body));

  const { data, errors } = await disturbed.query(list);

  expect(errors).toBeUndefined();
  expect(data.company.customers.nodes).toHaveLength(3);
  expect(requestsOf(proxy)).toHaveLength(1);
});

test.for(kinds.flatMap((kind) => Object.entries(cuts).map(([where, cut]) => [kind, where, cut] as const)))(
  'a read whose response, with %s, is cut off %s is retried, and is UPSTREAM_UNAVAILABLE after three attempts',
  async ([kind, , cut], { disturbed, proxy }) => {
    proxy.next(undelimited(kind, cut));
    const { data, errors } = await disturbed.query(list);
    expect(errors).toBeUndefined();
    expect(data.company.customers.nodes).toHaveLength(3);
    expect(requestsOf(proxy)).toHaveLength(2);

    proxy.next({ ...undelimited(kind, cut), times: 9 });
    const failed = await disturbed.query(list);
    expect(failed.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    expect(requestsOf(proxy)).toHaveLength(5);
  },
);

test.for(kinds)(
  'a create whose response, with %s, is cut off is executed once, and found under its id',
  async (kind, { disturbed, proxy, sandbox }) => {
    proxy.next({ ...undelimited(kind, cuts['in the middle']), on: 'POST' });

    const { data } = await disturbed.query(create);

    expect(data.createCustomer).toEqual({ customer: { displayName: 'Grønn' }, userErrors: [] });
    expect(await methodsOf(sandbox)).toEqual(['POST', 'GET']);
  },
);

test('an HTML page that ends with its connection does not count as cut off', async ({ disturbed, proxy }) => {
  proxy.next({ ...undelimited('HTTP/1.0', () => '<html>Hello</html>'), times: 9 });

  const { errors } = await disturbed.query(list);

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(requestsOf(proxy)).toHaveLength(1);
});

/** In two chunks, of which the first has so many bytes. */
const chunked = (head: string, body: string, first = 100) => {
  const pieces = [body.slice(0, first), body.slice(first)];
  const lines = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
  return `${head.replace(/content-length:[^\r]*/i, 'transfer-encoding: chunked')}\r\n\r\n${lines.join('')}0\r\n\r\n`;
};
const bodies = {
  'of a known length': (head: string, body: string) => `${head}\r\n\r\n${body}`,
  'in chunks': (head: string, body: string) => chunked(head, body),
};
/** The first name begins with a byte that no character of UTF-8 does. */
const broken = (body: string) => body.replace(/("displayName":")./, `$1${String.fromCharCode(0xff)}`);

test.for(Object.entries(bodies))(
  'a response %s that is not UTF-8 is UPSTREAM_BAD_RESPONSE after one call, and a create is found under its id',
  async ([, write], { disturbed, proxy, sandbox }) => {
    const toxic: Toxic = {
      rewrite: (answer) => {
        const [head, body] = partsOf(answer);
        return Buffer.from(write(head, broken(body)), 'latin1');
      },
    };
    proxy.next({ ...toxic, on: 'GET', times: 9 });
    const { data, errors } = await disturbed.query(list);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
    expect(data.company.customers).toBeNull();
    expect(requestsOf(proxy)).toHaveLength(1);

    proxy.calm();
    proxy.next({ ...toxic, on: 'POST' });
    const made = await disturbed.query(create);
    expect(made.data.createCustomer).toEqual({ customer: { displayName: 'Grønn' }, userErrors: [] });
    expect(await methodsOf(sandbox)).toEqual(['GET', 'POST', 'GET']);
  },
);

test('a response in chunks that end within a character is read', async ({ disturbed, proxy }) => {
  const { data } = await disturbed.query(create);
  proxy.next({
    on: 'GET',
    rewrite: (answer) => {
      const [head, body] = partsOf(answer);
      return Buffer.from(chunked(head, body, body.indexOf('Gr') + 3), 'latin1');
    },
  });

  const found = await disturbed.query(
    '{ company { customers(first: 1, filter: { displayName: { eq: "Grønn" } }) { nodes { displayName } } } }',
  );

  expect(data.createCustomer.userErrors).toEqual([]);
  expect(found.data.company.customers.nodes).toEqual([{ displayName: 'Grønn' }]);
});

const withHeader = (length: number): Toxic => ({
  times: 9,
  rewrite(answer) {
    const [head, body] = partsOf(answer);
    return Buffer.from(`${head}\r\nx-long: ${'x'.repeat(length)}\r\n\r\n${body}`, 'latin1');
  },
});

test('a response with headers of more than 16 KiB is UPSTREAM_BAD_RESPONSE after one call, and one below that is read', async ({
  disturbed,
  proxy,
}) => {
  proxy.next({ ...withHeader(15 * 1024), times: 1 });
  expect((await disturbed.query(list)).errors).toBeUndefined();
  expect(requestsOf(proxy)).toHaveLength(1);

  proxy.next(withHeader(17 * 1024));
  const { errors } = await disturbed.query(list);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(requestsOf(proxy)).toHaveLength(2);
});

test('a stop whose response has headers of more than 16 KiB is OUTCOME_UNKNOWN, and sent once', async ({
  disturbed,
  proxy,
  sandbox,
}) => {
  proxy.next(withHeader(17 * 1024));

  const { userErrors } = await stopInstance(disturbed, 'app01');

  expect(userErrors).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }]);
  expect(await methodsOf(sandbox)).toEqual(['POST']);
});
