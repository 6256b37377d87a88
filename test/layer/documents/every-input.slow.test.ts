import { describe, expect } from 'vitest';
import {
  changeable,
  cleared,
  createGiver,
  follows,
  isWithoutStandIn,
  made,
  read,
  recordsIn,
  type Values,
  writtenColumns,
  writtenFields,
} from '../../support/cases/every-input.ts';
import { type WrittenKind, writtenKinds } from '../../support/cases/written-kinds.ts';
import { testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const dialects = [
  ['document', testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' })],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const;

const kindsWith = (write: 'create' | 'update') =>
  writtenKinds.filter(({ writes }) => writes.includes(write)).map((kind) => [kind.type, kind] as const);
const created = kindsWith('create');
const updated = kindsWith('update');
const withLines = created.filter(([, { lines }]) => lines !== undefined);
/** By id in one dialect, and by number in the other. */
const namings = { document: ['Id'], dynamics: ['other'] } as const;

const id = '00c0ffee-0000-4000-8000-000000000001';
/** The field of a line with the price of a unit, of documents of purchases. */
const costs: Readonly<Record<string, string>> = {
  PurchaseOrder: 'directUnitCost',
  PurchaseInvoice: 'unitCost',
};
const manyLines = (kind: WrittenKind) => [
  { ...kind.item, quantity: '100', [costs[kind.type] ?? 'unitPrice']: '100' },
];

const bodiesOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ body }) => body !== '').map(({ body }) => JSON.parse(body));

const except = (values: Values, leaves: (name: string) => boolean): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !leaves(name)));

/** Two lines that give every field a value between them: only one of an item has an item, only one of an account an account. */
async function linesFor(sandbox: TestSandbox): Promise<readonly Values[]> {
  const [item] = (await recordsIn(sandbox, 'items')).filter(({ number }) => number === '1004');
  const [account] = (await recordsIn(sandbox, 'accounts')).filter(({ number }) => number === '4090');
  const [, box] = await recordsIn(sandbox, 'unitsOfMeasure');
  return [
    {
      lineNo: 300,
      itemId: item?.id,
      itemNo: '1004',
      lineType: 'Item',
      lineObjectNumber: '1004',
      description: 'As drawn',
      description2: 'and painted',
      unitOfMeasureId: box?.id,
      unitOfMeasureCode: box?.code,
      quantity: '8',
      unitPrice: '12.5',
      directUnitCost: '12.5',
      unitCost: '12.5',
      discountAmount: '5',
      discountPercent: '5',
      taxCode: 'TEXTILES',
      shipmentDate: '2026-04-05',
      expectedReceiptDate: '2026-04-05',
      invoiceQuantity: '3',
      shipQuantity: '4',
      receiveQuantity: '4',
      itemVariantId: '00c0ffee-0000-4000-8000-000000000002',
      locationId: '00c0ffee-0000-4000-8000-000000000003',
    },
    {
      lineNo: 400,
      accountId: account?.id,
      quantity: '1',
      unitPrice: '4.5',
      directUnitCost: '4.5',
      unitCost: '4.5',
    },
  ];
}

describe.each(dialects)('in the dialect %s', (dialect, test) => {
  test.for(created.flatMap((one) => namings[dialect].map((namedBy) => [...one, namedBy] as const)))(
    'every field of a new %s is sent, and read back as written',
    async ([type, kind, namedBy], { layer, sandbox }) => {
      const give = await createGiver(sandbox);
      const blank = await made(layer, 'create', kind, kind.least);
      const fields = writtenFields(`Create${type}Input`).filter(({ name }) => !kind.refuses?.includes(name));
      const input = Object.fromEntries(fields.map((field) => [field.name, give(field, blank[field.name])]));
      await sandbox.forgetCalls();

      const lines = kind.lines && { [kind.lines]: manyLines(kind) };
      const record = await made(layer, 'create', kind, { ...input, id, ...lines }, namedBy);

      expect(record).toMatchObject(input);
      const [sent] = await bodiesOf(sandbox);
      expect(Object.keys(except(sent, (name) => name.endsWith('Lines')))).toEqual([
        'id',
        ...writtenColumns(input, namedBy).map((name) => kind.columns[name] ?? name),
      ]);
      expect(await read(layer, kind, record.id, Object.keys(input))).toEqual(input);
      expect([...Object.keys(input), ...(kind.refuses ?? [])].sort()).toEqual(
        [...kind.declared.create].sort(),
      );
      expect(fields.length).toBeGreaterThan(15);
    },
  );

  test.for(updated)(
    'each field of the type %s can be updated alone, and cleared where there is an unset value, and leaves the others unchanged',
    async ([type, kind], { layer, sandbox }) => {
      const give = await createGiver(sandbox);
      let present = await changeable(layer, kind, manyLines(kind));
      const change = async (name: string, value: unknown, expected = value) => {
        const ifMatch = present.etag;
        const changed = await made(layer, 'update', kind, {
          id: present.id,
          ifMatch,
          patch: { [name]: value },
        });
        expect(changed.etag).not.toBe(ifMatch);
        expect(changed[name], name).toBe(expected);
        const others = (other: string) => other === name || other === 'etag' || follows(kind, name, other);
        expect(except(changed, others), name).toEqual(except(present, others));
        present = changed;
      };

      const fields = writtenFields(`${type}Patch`);
      for (const field of fields) {
        const { name } = field;
        const isCleared = !isWithoutStandIn(field) && !kind.keeps.includes(name);
        if (isCleared) await change(name, null, cleared(name));
        await change(name, give(field, present[name]));
        if (isCleared) await change(name, null, cleared(name));
      }

      expect(await read(layer, kind, present.id, Object.keys(present))).toEqual(present);
      expect(fields.map(({ name }) => name)).toEqual(kind.declared.update);
      expect(fields.length).toBeGreaterThan(10);
    },
  );

  test.for(withLines.flatMap((one) => namings[dialect].map((namedBy) => [...one, namedBy] as const)))(
    'every field of the lines of a new %s is sent, and read back as written',
    async ([type, kind, namedBy], { layer, sandbox }) => {
      const known = new Set(writtenFields(`${type}LineInput`).map(({ name }) => name));
      const lines = (await linesFor(sandbox)).map((line) => except(line, (name) => !known.has(name)));
      const field = kind.lines as 'documentLines';
      const record = await made(layer, 'create', kind, { ...kind.least, [field]: lines }, namedBy);

      const selected = `${field} { ${[...known].join(' ')} }`;
      expect(await read(layer, kind, record.id, [selected])).toMatchObject({ [field]: lines });
      expect(new Set(lines.flatMap(Object.keys))).toEqual(known);
    },
  );
});
