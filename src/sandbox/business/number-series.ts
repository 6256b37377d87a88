import { refusedByRule } from '../refusal.ts';
import type { Company } from './store.ts';
import { draw, findRecord, recordsOf } from './store.ts';

interface Series {
  readonly name: string;
  readonly prefix: string;
  readonly first: number;
  readonly step: number;
  readonly digits: number;
  /** Whether a caller may give a number of their own. */
  readonly isManual: boolean;
}

const series: Readonly<Record<string, Series>> = {
  customers: { name: 'CUST', prefix: 'C', first: 10_000, step: 10, digits: 5, isManual: true },
  items: { name: 'ITEM', prefix: '', first: 1_000, step: 4, digits: 4, isManual: true },
  employees: { name: 'EMP', prefix: 'E', first: 1, step: 1, digits: 3, isManual: true },
  salesOrders: { name: 'S-ORD', prefix: 'S-ORD', first: 101_001, step: 1, digits: 6, isManual: false },
  salesQuotes: { name: 'S-QUO', prefix: 'S-QUO', first: 1_001, step: 1, digits: 4, isManual: false },
};

/** Lets the series of a company go on behind the records it has. */
export function startSeries(company: Company): void {
  for (const set in series) company.drawn.set(placesOf(set), recordsOf(company, set).size);
}

/** The next number of a set that no record has, and that none had while it came from the series. */
export function nextNumber(company: Company, set: string): string {
  const { prefix, first, step, digits } = seriesOf(set);
  for (;;) {
    const place = first + step * draw(company, placesOf(set));
    const number = prefix + String(place).padStart(digits, '0');
    if (!findRecord(company, set, 'number', number)) return number;
  }
}

/** Refuses a caller's own number where the set-up of the series does not allow it. */
export function expectNoNumber(set: string, number: unknown): void {
  const { name, isManual } = seriesOf(set);
  if (number === undefined || isManual) return;
  throw refusedByRule(
    `You may not enter numbers manually. If you want to enter numbers manually, please activate Manual Nos. in No. Series ${name}.`,
  );
}

function seriesOf(set: string): Series {
  const found = series[set];
  if (!found) throw new TypeError(`expected a set with a number series, got '${set}'`);
  return found;
}

const placesOf = (set: string) => `numbers of ${set}`;
