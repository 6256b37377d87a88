import { withBothNames } from '../business/documents/document-fields.ts';
import { copyItemFields, customerParty } from '../business/documents/order-parties.ts';
import { numberField, roundAmount } from '../business/documents/totals.ts';
import type { EntitySet, FieldValue, RecordValues } from '../business/entity-set.ts';
import type { Company } from '../business/store.ts';
import { findRecord } from '../business/store.ts';
import { blankValues } from '../business/writes/blank-values.ts';
import type { Random } from '../seeded.ts';
import { derivedGuid, elementAt } from '../seeded.ts';
import { seededRecords } from './values.ts';
/**
 * A line of an order or a quote. The first sells an item. One in nine of the others is a comment or a G/L
 * account.
 */
export function seedLine(
  company: Company,
  document: RecordValues,
  customer: RecordValues,
  set: EntitySet,
  index: number,
  lineIndex: number,
  random: Random,
): RecordValues {
  const stock = seededRecords(company, 'items');
  const item = elementAt(stock, index * 5 + lineIndex * 11).values;
  const kind = lineIndex > 0 && random.oneIn(9) ? random.pick(['Comment', 'Account']) : 'Item';
  const quantity = kind === 'Comment' ? 0 : random.between(1, 24);
  const line: Record<string, FieldValue> = {
    ...blankValues(set),
    ...(kind === 'Item' ? copyItemFields(company, customerParty, item, customer) : otherLine(company, kind)),
    id: derivedGuid(`${document.id}:${lineIndex}`),
    documentId: String(document.id),
    lineNo: (lineIndex + 1) * 10_000,
    quantity,
    ...(kind === 'Item' ? variantOf(index + lineIndex) : {}),
  };
  const percent = kind === 'Item' && random.oneIn(6) ? random.pick([5, 10, 12.5]) : 0;
  line.discountPercent = percent;
  line.discountAmount = roundAmount((quantity * numberField(line, 'unitPrice') * percent) / 100);
  return withBothNames(line, company);
}

/** The sell-to and bill-to customers of an order or a quote. */
export function seededParties(
  company: Company,
  index: number,
): { customer: RecordValues; payer: RecordValues } {
  const customers = seededRecords(company, 'customers');
  const customer = elementAt(customers, index * 7 + 3).values;
  return { customer, payer: index % 20 === 9 ? elementAt(customers, index * 7 + 5).values : customer };
}

/** Some lines have a variant or a location. The sandbox has no records of these. */
function variantOf(index: number): RecordValues {
  return {
    ...(index % 7 === 5
      ? { itemVariantId: derivedGuid('variant:0'), description2: 'Left-hand version' }
      : {}),
    ...(index % 9 === 4 ? { locationId: derivedGuid('location:0') } : {}),
  };
}

function otherLine(company: Company, kind: string): RecordValues {
  if (kind === 'Comment') return { lineType: kind, description: 'Please call before delivery' };
  const account = findRecord(company, 'accounts', 'number', '4090')?.values;
  return { lineType: kind, accountId: account?.id ?? '', description: 'Freight', unitPrice: 4.5 };
}
