import { billedTo, soldTo } from '../business/order-parties.ts';
import { salesQuoteLines, salesQuotes } from '../business/quote-sets.ts';
import type { Values } from '../business/records.ts';
import { blankValues, unsetDate } from '../business/records.ts';
import type { Company, Store } from '../business/store.ts';
import { idOf } from '../business/store.ts';
import { withTotals } from '../business/totals.ts';
import type { Random } from '../seeded.ts';
import { at, derivedGuid } from '../seeded.ts';
import { seededParties, seedLine } from './goods.ts';
import { seededTime } from './people.ts';

/** One quote of the number series, S-QUO1001 first, with one to four lines. Every status occurs. */
export function seedQuote(store: Store, company: Company, index: number, random: Random): void {
  const { customer, payer } = seededParties(company, index * 3 + 1);
  const status = at(['Draft', 'Sent', 'Accepted', 'Sent', 'Expired '], index);
  const documentDate = seededTime(index * 40).slice(0, 10);
  const header: Values = {
    ...blankValues(salesQuotes),
    ...soldTo(customer),
    ...billedTo(payer),
    ...datesOf(status, index),
    id: derivedGuid(`${idOf(company.record)}:salesQuotes:${index}`),
    number: `S-QUO${1001 + index}`,
    externalDocumentNumber: random.oneIn(2) ? `RFQ-${random.between(1000, 9999)}` : '',
    documentDate,
    postingDate: documentDate,
    dueDate: seededTime(index * 40 + 480).slice(0, 10),
    shipToContact: random.oneIn(2) ? 'Goods inward' : '',
    shortcutDimension1Code: random.pick(['', 'SALES', 'PROJECT']),
    shortcutDimension2Code: random.pick(['', 'SMALL', 'MEDIUM', 'LARGE']),
    discountAmount: index % 10 === 6 ? random.between(1, 5) : 0,
    status,
    lastModifiedDateTime: seededTime(index * 40 + 20),
  };
  const lines = Array.from({ length: 1 + (index % 4) }, (_, place) =>
    seedLine(company, header, customer, salesQuoteLines, index, place, random),
  );
  const totalled = withTotals(header, lines);
  store.add(company, salesQuotes.name, totalled.order, totalled.lines);
}

/** A draft has not been sent; only an accepted quote has a day of that; some hold for ever. */
function datesOf(status: string, index: number): Values {
  if (status === 'Draft') return {};
  return {
    sentDate: seededTime(index * 40 + 10),
    validUntilDate: index % 6 === 3 ? unsetDate : seededTime(index * 40 + 300).slice(0, 10),
    acceptedDate: status === 'Accepted' ? seededTime(index * 40 + 60).slice(0, 10) : unsetDate,
  };
}
