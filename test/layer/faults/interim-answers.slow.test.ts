import { expect } from 'vitest';
import { methodsOf, requestsOf, testDisturbed } from '../../support/proxies/disturbed.ts';
import type { Toxic } from '../../support/proxies/toxics.ts';

const test = testDisturbed();

const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
const dated = `HTTP/1.1 100 \r\ndate: ${new Date(0).toUTCString()}\r\n\r\n`;
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';

const before = (interim: string, rest: Omit<Toxic, 'rewrite'> = {}): Toxic => ({
  ...rest,
  times: 100,
  rewrite: (answer) => Buffer.concat([Buffer.from(interim), answer]),
});

test.for([
  ['100 Continue', before(goOn)],
  ['100 with fields, of no words', before(dated)],
  ['three times 100', before(goOn + dated + goOn)],
  ['100 and 103', before(goOn + hints + goOn)],
  ['103', before(hints)],
  ['100, and a pause', before(goOn, { pieces: { bytes: goOn.length, everyMs: 5 } })],
  ['100 byte by byte', before(goOn + dated, { pieces: { bytes: 1, everyMs: 0 } })],
] as const)(
  'where an unrequested %s precedes each response, reads and writes are executed once, over one connection',
  async ([, toxic], { disturbed, proxy, sandbox }) => {
    proxy.next(toxic);

    const read = await disturbed.query('{ company { name } }');
    const made = await disturbed.query(
      `mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) {
        customer { displayName } userErrors { code }
      } }`,
      { input: { displayName: 'Made once' } },
    );
    const reread = await disturbed.query('{ company { name } }');

    expect(made.data.createCustomer).toEqual({ customer: { displayName: 'Made once' }, userErrors: [] });
    expect([read.errors, reread.errors]).toEqual([undefined, undefined]);
    expect(await methodsOf(sandbox)).toEqual(['GET', 'POST', 'GET']);
    expect(requestsOf(proxy)).toHaveLength(3);
    expect(proxy.connections).toHaveLength(1);
  },
);

test.for([
  ['100 without end', 'HTTP/1.1 100 Continue\r\nx: '],
  ['100 that nothing follows', goOn],
])(
  'after %s the final response is awaited until the deadline, and no longer',
  async ([, interim], { disturbed, proxy }) => {
    proxy.next({ rewrite: () => Buffer.from(interim as string) });

    const { errors } = await disturbed.query('{ company { name } }', {}, { 'x-request-timeout': '300' });

    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    expect(requestsOf(proxy)).toHaveLength(1);
  },
);
