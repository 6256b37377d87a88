import { expect, test } from 'vitest';
import { sandboxExamples } from '../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer } from '../support/layer.ts';
import { startTestSandbox } from '../support/sandbox.ts';

const { customerId: id } = sandboxExamples;
const rounds = 500;

/** What fits into `website` with room to spare, and what stays there when the older ones are moved off. */
const [mostMarks, keptMarks] = [40, 20];

interface Customer {
  readonly etag: string;
  readonly website: string | null;
  readonly creditLimit: string;
}

const read = `query ($id: UUID!) { company { customer(id: $id) { etag website creditLimit } } }`;

const update = `mutation ($input: UpdateCustomerInput!) {
  updateCustomer(input: $input) { customer { etag website creditLimit } userErrors { code } }
}`;

const marksOf = ({ website }: Customer): string[] => website?.split('.') ?? [];

/** Adds a mark to the customer as it is shown, merging when that is stale; returns all states shown since. */
async function save(
  layer: TestLayer,
  mark: string,
  shown: Customer,
  movedOff: string[],
): Promise<Customer[]> {
  const states = [shown];
  for (;;) {
    const customer = states.at(-1) as Customer;
    const marks = [...marksOf(customer), mark];
    const old = marks.length > mostMarks ? marks.splice(0, marks.length - keptMarks) : [];
    const creditLimit = String(Number(customer.creditLimit) + 1);
    const patch = { website: marks.join('.'), creditLimit };
    const { data, errors } = await layer.query(update, { input: { id, ifMatch: customer.etag, patch } });
    expect(errors).toBeUndefined();
    states.push(data.updateCustomer.customer);
    if (data.updateCustomer.userErrors.length === 0) {
      movedOff.push(...old);
      return states;
    }
    expect(data.updateCustomer.userErrors).toEqual([{ code: 'STALE_RECORD' }]);
  }
}

test.for(['document', 'dynamics'] as const)(
  'of a thousand edits that two tools make of one customer at once, merging, none is lost in the dialect %s',
  { timeout: 180_000 },
  async (dialect) => {
    const sandbox = await startTestSandbox({ dialect });
    const settings = { BUSINESS_DIALECT: dialect };
    const [one, other] = [
      await startTestLayer(sandbox.url, settings),
      await startTestLayer(sandbox.url, settings),
    ];
    const blank = { id, ifMatch: '*', patch: { website: null, creditLimit: '0' } };
    const { data } = await one.query(update, { input: blank });
    const movedOff: string[] = [];
    let customer: Customer = data.updateCustomer.customer;
    let staleTimes = 0;

    for (let n = 1; n <= rounds; n += 1) {
      const layers = n % 2 === 0 ? [one, other] : [other, one];
      const saves = layers.map((layer) =>
        save(layer, `${layer === one ? 'a' : 'b'}${n}`, customer, movedOff),
      );
      const [first = [], second = []] = await Promise.all(saves);
      staleTimes += first.length + second.length - 4;
      // Who had to merge has seen both.
      customer = (first.length > second.length ? first : second).at(-1) as Customer;
    }

    const after: Customer = (await other.query(read, { id })).data.company.customer;
    const stored = await sandbox.send('GET', '/sandbox/records?set=customers');
    const { records } = (await stored.json()) as { records: { id: string; version: number }[] };
    await Promise.all([one.stop(), other.stop()]);
    await sandbox.stop();

    const marks = [...movedOff, ...marksOf(after)];
    for (const tool of ['a', 'b']) {
      const inOrder = Array.from({ length: rounds }, (_, index) => `${tool}${index + 1}`);
      expect(marks.filter((mark) => mark.startsWith(tool))).toEqual(inOrder);
    }
    expect(marks).toHaveLength(2 * rounds);
    expect(Number(after.creditLimit)).toBe(2 * rounds);
    // The first is the seeded record, the second the blank one.
    expect(records.find((record) => record.id === id)?.version).toBe(2 + 2 * rounds);
    expect(staleTimes).toBe(rounds);
  },
);
