import { businessRuleError } from '../../api-error.ts';
import type { Company, EntitySet, NumberSeries } from '../entity-set.ts';
import { findRecord, nextInSeries, recordsOf } from '../store.ts';

/** Continues the number series of a set after the records that a company has. */
export function initializeNumberSeries(company: Company, set: EntitySet): void {
  if (set.numberSeries) company.seriesCounters.set(counterName(set), recordsOf(company, set.name).size);
}

/** The next number of a set that no record has. The series never returns a number twice. */
export function nextNumber(company: Company, set: EntitySet): string {
  const series = seriesOf(set);
  for (;;) {
    const number = numberAt(series, nextInSeries(company, counterName(set)));
    if (!findRecord(company, set.name, 'number', number)) return number;
  }
}

/** The number at a position of a series, from 0. */
export function numberAt({ prefix, first, step, digits }: NumberSeries, position: number): string {
  return prefix + String(first + step * position).padStart(digits, '0');
}

/** The next number of a document that is not posted yet, in a series of its own that begins with 1001. */
export function nextDraftNumber(company: Company, set: EntitySet, prefix: string): string {
  for (;;) {
    const number = `${prefix}${1_001 + nextInSeries(company, `drafts of ${set.name}`)}`;
    if (!findRecord(company, set.name, 'number', number)) return number;
  }
}

/** Throws an `ApiError` for a number from the caller where the series does not allow one. */
export function checkManualNumber(set: EntitySet, number: unknown): void {
  const { name, isManual } = seriesOf(set);
  if (number === undefined || isManual) return;
  throw businessRuleError(
    `You may not enter numbers manually. If you want to enter numbers manually, please activate Manual Nos. in No. Series ${name}.`,
  );
}

function seriesOf({ name, numberSeries }: EntitySet): NumberSeries {
  if (!numberSeries) throw new TypeError(`expected a set with a number series, got '${name}'`);
  return numberSeries;
}

const counterName = ({ name }: EntitySet) => `numbers of ${name}`;
