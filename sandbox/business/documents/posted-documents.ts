import { derivedGuid } from '../../seeded.ts';
import type { Company, EntitySet, FieldValue, RecordValues, SeedRecord } from '../entity-set.ts';
import { blankValues } from '../writes/field-values.ts';
import { calculateTotals, dueDateOf, numberField, roundAmount } from './totals.ts';

/** What a posted document does not take from the order or invoice it comes of. */
export interface Posting {
  readonly id: string;
  readonly number: string;
  readonly date: string;
  readonly status: string;
}

/** The sets that a posted document and its lines belong to. */
export interface PostedSets {
  readonly set: EntitySet;
  readonly lines: EntitySet;
  /** The field of a line with the price of a unit; `unitPrice` if left out. */
  readonly priceField?: string;
}

/** A line of an order or invoice, and how many units of it are posted. */
export interface PostedLine {
  readonly line: RecordValues;
  readonly quantity: number;
}

/** The lines of which a field says how many units to post, with the comments among them; none where no units are. */
export function linesToPost(
  lines: readonly RecordValues[],
  field: 'shipQuantity' | 'receiveQuantity' | 'invoiceQuantity' | 'shippedQuantity' | 'invoicedQuantity',
): readonly PostedLine[] {
  const posted = lines.map((line) => ({ line, quantity: numberField(line, field) }));
  if (!posted.some(({ quantity }) => quantity > 0)) return [];
  return posted.filter(({ line, quantity }) => quantity > 0 || line.lineType === 'Comment');
}

/** An invoice or a credit memo of lines, ready to be added to a store. Its totals are those of its own lines. */
export function postAmounts(
  company: Company,
  sets: PostedSets,
  source: RecordValues,
  posted: readonly PostedLine[],
  posting: Posting,
): Required<SeedRecord> {
  const lines = posted.map((one) => amountLine(sets, one, posting));
  const header = {
    ...headerOf(company, sets, source, posting),
    status: posting.status,
    discountAmount: roundAmount(
      posted.reduce((sum, one) => sum + numberField(one.line, 'invoiceDiscountAllocation') * shareOf(one), 0),
    ),
  };
  return calculateTotals(header, lines, sets.priceField);
}

/** A shipment of lines of an order, ready to be added to a store. */
export function postShipment(
  company: Company,
  sets: PostedSets,
  order: RecordValues,
  posted: readonly PostedLine[],
  posting: Omit<Posting, 'status'>,
): Required<SeedRecord> {
  const codeOf = (set: string, id: FieldValue | undefined) =>
    company.sets.get(set)?.get(String(id))?.values.code ?? '';
  return {
    values: {
      ...headerOf(company, sets, order, posting),
      paymentTermsCode: codeOf('paymentTerms', order.paymentTermsId),
      shipmentMethodCode: codeOf('shipmentMethods', order.shipmentMethodId),
    },
    lines: posted.map((one) => ({
      ...lineOf(sets, one, posting),
      documentNo: posting.number,
      itemNo: one.line.lineObjectNumber ?? '',
      lineType: shippedLineTypes[String(one.line.lineType)] ?? ' ',
    })),
  };
}

const shippedLineTypes: Readonly<Record<string, string>> = { Item: 'Item', Account: 'G/L Account' };

function headerOf(
  company: Company,
  { set }: PostedSets,
  source: RecordValues,
  { id, number, date }: Omit<Posting, 'status'>,
): RecordValues {
  return {
    ...copyKnown(set, source),
    id,
    number,
    invoiceDate: date,
    creditMemoDate: date,
    postingDate: date,
    dueDate: dueDateOf(company, date, source.paymentTermsId),
    lastModifiedDateTime: `${date}T12:00:00.000Z`,
  };
}

function amountLine(sets: PostedSets, posted: PostedLine, posting: Posting): RecordValues {
  const discount = numberField(posted.line, 'discountAmount') * shareOf(posted);
  return { ...lineOf(sets, posted, posting), discountAmount: roundAmount(discount) };
}

function lineOf(
  { lines }: PostedSets,
  { line, quantity }: PostedLine,
  { id }: Pick<Posting, 'id'>,
): RecordValues {
  return {
    ...copyKnown(lines, line),
    id: derivedGuid(`${id}:${line.lineNo}`),
    documentId: id,
    quantity,
    lineNo: line.lineNo ?? 0,
    sequence: line.sequence ?? 0,
    lineObjectNumber: line.lineObjectNumber ?? '',
  };
}

function shareOf({ line, quantity }: PostedLine): number {
  const whole = numberField(line, 'quantity');
  return whole === 0 ? 0 : quantity / whole;
}

/** The fields of a set: the values of another record where that has them. */
export function copyKnown(set: EntitySet, source: RecordValues): Record<string, FieldValue> {
  const blank = blankValues(set);
  return Object.fromEntries(
    Object.entries(blank).map(([name, unset]): [string, FieldValue] => [name, source[name] ?? unset]),
  );
}
