import type { PostedLine } from '../business/documents/posted-documents.ts';
import { numberField } from '../business/documents/totals.ts';
import type { RecordValues } from '../business/entity-set.ts';
import { salesOrders } from '../business/sets/sales-orders.ts';
import { type Company, idOf } from '../business/store.ts';
import { createRandom, derivedGuid } from '../seeded.ts';
import { seededRecords } from './values.ts';

/** An order that was shipped: one that a company still has, or a finished one, which the service removes. */
export interface ShippedOrder {
  readonly isFinished: boolean;
  readonly order: RecordValues;
  readonly lines: readonly RecordValues[];
}

/** The n-th shipped order of a company: first those it still has. */
export function shippedOrder(company: Company, index: number): ShippedOrder {
  const shipped = seededRecords(company, 'salesOrders').filter(({ values }) => values.fullyShipped === true);
  const standing = shipped[index];
  if (!standing) return finishedOrder(company, index - shipped.length);
  return { isFinished: false, order: standing.values, lines: standing.lines.map(({ values }) => values) };
}

/** The lines of which units were shipped or invoiced, with the comments between them; none where no units were. */
export function linesWith(
  lines: readonly RecordValues[],
  field: 'shippedQuantity' | 'invoicedQuantity',
): readonly PostedLine[] {
  const posted = lines
    .map((line) => ({ line, quantity: numberField(line, field) }))
    .filter(({ line, quantity }) => quantity > 0 || line.lineType === 'Comment');
  return posted.some(({ quantity }) => quantity > 0) ? posted : [];
}

/** Made as the orders that a company has, with a number before theirs. */
function finishedOrder(company: Company, index: number): ShippedOrder {
  const random = createRandom(7_001 + index);
  const made = salesOrders.seed?.record({ set: salesOrders, company, random }, index);
  if (!made) throw new TypeError('expected seeded orders');
  return {
    isFinished: true,
    order: {
      ...made.values,
      id: derivedGuid(`${idOf(company.record)}:finished-orders:${index}`),
      number: `S-ORD${100_001 + index}`,
    },
    lines: (made.lines ?? []).map((line) => ({
      ...line,
      shippedQuantity: line.quantity ?? 0,
      invoicedQuantity: line.quantity ?? 0,
    })),
  };
}

/** Of some finished orders there is a draft of an invoice instead, which comes of no order. */
export const isDraft = (index: number, { isFinished }: ShippedOrder): boolean =>
  isFinished && index % 20 === 19;
