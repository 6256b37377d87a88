import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

/** Every field of text that can be written, with the most characters it takes. */
interface Texts {
  readonly texts: string;
  readonly codes: string;
  readonly readOnly: string;
  readonly references: string;
}

const addressOf = (prefix: string) => ({
  texts: `${prefix}AddressLine1 100 ${prefix}AddressLine2 50 ${prefix}City 30 ${prefix}State 30`,
  codes: `${prefix}Country 10 ${prefix}PostCode 20`,
  names: ['AddressLine1', 'AddressLine2', 'City', 'State', 'Country', 'PostCode']
    .map((one) => prefix + one)
    .join(' '),
});
const [sellTo, billTo, shipTo] = [addressOf('sellTo'), addressOf('billTo'), addressOf('shipTo')];
const ofDocuments = {
  texts: `shipToName 100 shipToContact 100 phoneNumber 30 email 80 ${sellTo.texts} ${shipTo.texts}`,
  codes: `externalDocumentNumber 35 ${sellTo.codes} ${shipTo.codes} shortcutDimension1Code 20 shortcutDimension2Code 20 salesperson 20`,
  readOnly:
    'number customerName billToName totalAmountExcludingTax totalTaxAmount totalAmountIncludingTax status lastModifiedDateTime',
  references:
    'customerId customerNumber billToCustomerId billToCustomerNumber currencyId currencyCode paymentTermsId shipmentMethodId',
};

const rules: Readonly<Record<string, Texts>> = {
  customers: {
    texts:
      'displayName 100 addressLine1 100 addressLine2 50 city 30 state 30 phoneNumber 30 website 255 taxRegistrationNumber 50',
    codes: 'number 20 postalCode 20 salespersonCode 20',
    readOnly: 'balanceDue taxAreaDisplayName lastModifiedDateTime',
    references: 'taxAreaId currencyId currencyCode paymentTermsId shipmentMethodId paymentMethodId',
  },
  items: {
    texts: 'displayName 100 displayName2 50',
    codes: 'number 20 gtin 14',
    readOnly: 'lastModifiedDateTime',
    references:
      'itemCategoryId itemCategoryCode taxGroupId taxGroupCode baseUnitOfMeasureId baseUnitOfMeasureCode generalProductPostingGroupId generalProductPostingGroupCode inventoryPostingGroupId inventoryPostingGroupCode',
  },
  employees: {
    texts:
      'givenName 30 middleName 30 surname 30 jobTitle 30 addressLine1 100 addressLine2 50 city 30 state 30 phoneNumber 30 mobilePhone 30 email 80 personalEmail 80 bankBranchNumber 20 bankAccountNumber 30 iban 50',
    codes: 'number 20 country 10 postalCode 20 statisticsGroupCode 10',
    readOnly: 'displayName lastModifiedDateTime',
    references: '',
  },
  salesOrders: {
    ...ofDocuments,
    readOnly: `${ofDocuments.readOnly} ${billTo.names} discountAppliedBeforeTax fullyShipped`,
  },
  salesQuotes: {
    ...ofDocuments,
    texts: `${ofDocuments.texts} ${billTo.texts}`,
    codes: `${ofDocuments.codes} ${billTo.codes}`,
    readOnly: `${ofDocuments.readOnly} sentDate`,
  },
};

const lineRules = {
  texts: 'description 100 description2 50',
  readOnly:
    'id documentId discountAppliedBeforeTax amountExcludingTax taxPercent totalTaxAmount amountIncludingTax netAmount netTaxAmount netAmountIncludingTax',
};

/** The pairs of a name and a length. */
function lengths(text: string): [string, number][] {
  const words = text.split(' ').filter((word) => word !== '');
  return words.flatMap((word, index) =>
    index % 2 === 0 ? [[word, Number(words[index + 1])] as [string, number]] : [],
  );
}

const names = (text: string) => text.split(' ').filter((word) => word !== '');
const refused = (code: string) => ({ status: 400, body: { error: { code } } });
const nobody = '11111111-1111-4111-8111-111111111111';

describe.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)('fields of writes in %s', (_dialect, sandbox) => {
  const count = (set: string) => sandbox.count(`${company}/${set}`);

  async function leastOf(set: string): Promise<Json> {
    if (set === 'customers') return { displayName: 'Brindle Trading' };
    if (!set.startsWith('sales')) return {};
    const [customer] = await sandbox.list(`${company}/customers?$top=1`);
    return { customerId: customer.id };
  }

  /** A record of a set, and what to send to change it; quotes are not changed. */
  async function writes(set: string): Promise<((body: Json) => ReturnType<typeof sandbox.post>)[]> {
    const least = await leastOf(set);
    const create = (body: Json) => sandbox.post(`${company}/${set}`, { ...least, ...body });
    const { id } = (await create({})).body;
    const change = (body: Json) => sandbox.patch(`${company}/${set}(${id})`, '*', body);
    return set === 'salesQuotes' ? [create] : [change, create];
  }

  describe.each(Object.keys(rules))('of %s', (set) => {
    const { texts, codes, readOnly, references } = rules[set] as Texts;

    test('A.value.13 Text of the maximum length is accepted, longer text is refused', async () => {
      for (const write of await writes(set)) {
        const before = await count(set);
        for (const [name, length] of lengths(`${texts} ${codes}`)) {
          const tooLong = await write({ [name]: 'x'.repeat(length + 1) });
          expect(tooLong, name).toMatchObject(refused('Application_StringExceededLength'));
          expect(tooLong.body.error.message, name).toContain(`less than or equal to ${length} characters`);
        }
        expect(await count(set)).toBe(before);
        for (const [name, length] of lengths(`${texts} ${codes}`)) {
          if (set.startsWith('sales') || name !== 'number') {
            const { body } = await write({ [name]: `${'X'.repeat(length)}  ` });
            expect(body[name], name).toBe('X'.repeat(length));
          }
        }
      }
    });

    test('A.value.14 Codes are stored in upper case, other text unchanged, both without trailing blanks', async () => {
      for (const [index, write] of (await writes(set)).entries()) {
        for (const [name] of lengths(codes)) {
          const { body } = await write({ [name]: `a-${index}é  ` });
          expect(body[name], name).toBe(`A-${index}É`);
        }
        for (const [name] of lengths(texts)) {
          expect((await write({ [name]: ' a-é  ' })).body[name], name).toBe(' a-é');
        }
      }
    });

    test('A.update.13 A read-only field is refused, whatever its value, and nothing is written', async () => {
      const [record] = await sandbox.list(`${company}/${set}?$top=1`);
      for (const write of await writes(set)) {
        const before = await count(set);
        for (const name of names(readOnly)) {
          const code = name === 'number' ? expect.any(String) : 'BadRequest_InvalidOperation';
          expect(await write({ [name]: record[name] }), name).toMatchObject(refused(code));
        }
        expect(await count(set)).toBe(before);
      }
    });

    test('A.create.33 A reference to a missing record is refused by id and by code, and nothing is written', async () => {
      for (const write of await writes(set)) {
        const before = await count(set);
        for (const name of names(references)) {
          const reply = await write({ [name]: name.endsWith('Id') ? nobody : 'NOPE' });
          expect(reply, name).toMatchObject(refused('Application_DialogException'));
          expect(reply.body.error.message, name).toMatch(`The "${name}" does not match to a`);
        }
        expect(await count(set)).toBe(before);
      }
    });

    test('A.value.15 null, and a value of another type, is refused for every field', async () => {
      const fields = names(
        `${lengths(`${texts} ${codes}`)
          .map(([name]) => name)
          .join(' ')} ${references}`,
      );
      for (const write of await writes(set)) {
        for (const name of fields) {
          expect(await write({ [name]: null }), name).toMatchObject(refused('BadRequest'));
          expect(await write({ [name]: 5 }), name).toMatchObject(refused('BadRequest'));
        }
      }
    });
  });

  describe.each(['salesOrders', 'salesQuotes'])('lines of %s', (set) => {
    const lines = set === 'salesOrders' ? 'salesOrderLines' : 'salesQuoteLines';
    const itemNumber = sandbox === document ? 'itemNo' : 'lineObjectNumber';
    const lineNumber = sandbox === document ? 'lineNo' : 'sequence';

    /** A document with one line of an item, given so. */
    async function create(line: Json) {
      const [item] = await sandbox.list(`${company}/items?$top=1`);
      const body = { ...(await leastOf(set)), [lines]: [{ itemId: item.id, quantity: 1, ...line }] };
      return sandbox.post(`${company}/${set}?$expand=${lines}`, body);
    }

    test('A.create.34 Lengths, read-only fields and references of lines are checked; on an error nothing is created', async () => {
      const before = await count(set);
      for (const [name, length] of lengths(lineRules.texts)) {
        const tooLong = await create({ [name]: 'x'.repeat(length + 1) });
        expect(tooLong, name).toMatchObject(refused('Application_StringExceededLength'));
      }
      for (const name of names(lineRules.readOnly)) {
        const value = name.endsWith('d') ? nobody : 1;
        expect(await create({ [name]: value }), name).toMatchObject(refused('BadRequest_InvalidOperation'));
      }
      for (const line of [
        { itemId: nobody },
        { [itemNumber]: 'NOPE' },
        { itemId: undefined, accountId: nobody },
        { unitOfMeasureId: nobody },
        { unitOfMeasureCode: 'NOPE' },
      ]) {
        expect(await create(line), JSON.stringify(line)).toMatchObject(
          refused('Application_DialogException'),
        );
      }
      expect(await create({ taxCode: 'NOPE' })).toMatchObject(refused('Internal_InvalidTableRelation'));
      expect(await create({ [lineNumber]: 2_147_483_648 })).toMatchObject(refused('BadRequest'));
      expect(await count(set)).toBe(before);
    });

    test('A.create.35 Codes of a line are found in any case, text is stored unchanged', async () => {
      const { status, body } = await create({
        description: ' Own words  ',
        unitOfMeasureCode: 'box',
        taxCode: 'furniture',
      });

      expect(status).toBe(201);
      expect(body[lines][0]).toMatchObject({
        description: ' Own words',
        unitOfMeasureCode: 'BOX',
        taxCode: 'FURNITURE',
      });
      expect(body[lines][0].unitOfMeasureId).not.toBe('00000000-0000-0000-0000-000000000000');
    });

    test('A.create.36 The reference of a line determines its type, and lines are a list or omitted', async () => {
      const [account] = await sandbox.list(`${company}/accounts?$filter=number eq '4090'`);
      const given = { itemId: undefined, accountId: account.id, unitPrice: 7 };
      const made = await create(sandbox === document ? given : { ...given, lineObjectNumber: '4090' });

      expect(made.body[lines][0]).toMatchObject({ lineType: 'Account', accountId: account.id, netAmount: 7 });
      expect((await create({ accountId: account.id })).status).toBe(400);
      for (const value of [null, {}, 'x']) {
        const body = { ...(await leastOf(set)), [lines]: value };
        expect((await sandbox.post(`${company}/${set}`, body)).status).toBe(400);
      }
    });
  });

  test('A.create.37 The country of a customer must exist', async () => {
    const path = `${company}/customers`;
    const before = await count('customers');
    const unknown = await sandbox.post(path, { displayName: 'Brindle Trading', country: 'xq' });

    expect(unknown).toMatchObject(refused('Internal_InvalidTableRelation'));
    expect(unknown.body.error.message).toContain('a value (XQ) that cannot be found');
    expect(await count('customers')).toBe(before);
    expect((await sandbox.post(path, { displayName: 'Brindle Trading', country: 'no' })).body.country).toBe(
      'NO',
    );
    const [customer] = await sandbox.list(`${path}?$top=1`);
    expect(await sandbox.patch(`${path}(${customer.id})`, '*', { country: 'XQ' })).toMatchObject(
      refused('Internal_InvalidTableRelation'),
    );
    expect((await sandbox.patch(`${path}(${customer.id})`, '*', { country: '' })).body.country).toBe('');
  });
});
