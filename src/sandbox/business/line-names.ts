import { refusedByRule } from '../refusal.ts';
import type { Value, Values } from './records.ts';
import { unsetGuid } from './records.ts';
import type { Company } from './store.ts';
import { findRecord, recordsOf } from './store.ts';

/** What the real service calls two fields of lines. Stored lines have both names. */
export const lineNames: Readonly<Record<string, string>> = { lineNo: 'sequence', itemNo: 'lineObjectNumber' };

/** Fields of a line that a caller gave, under the document's names: a number may be that of an account. */
export function documentNamed(given: Values, company: Company): Values {
  const { sequence, lineObjectNumber, ...rest } = given;
  return {
    ...rest,
    ...(sequence === undefined ? {} : { lineNo: sequence }),
    ...(lineObjectNumber === undefined ? {} : objectOf(lineObjectNumber, given, company)),
  };
}

/** A line under all its names: the object's number is that of its item or of its account. */
export function withAllNames<Line extends Values>(line: Line, company: Company): Line & Values {
  const account = recordsOf(company, 'accounts').get(String(line.accountId ?? unsetGuid));
  const lineObjectNumber = account?.values.number ?? line.itemNo ?? '';
  return { ...line, sequence: line.lineNo ?? 0, lineObjectNumber };
}

function objectOf(number: Value, given: Values, company: Company): Record<string, Value> {
  const { lineType, accountId: givenId, itemId } = given;
  const isOfAccount = lineType === undefined && givenId !== undefined && itemId === undefined;
  if (lineType !== 'Account' && !isOfAccount) return { itemNo: number };
  const account = findRecord(company, 'accounts', 'number', number);
  if (!account) throw refusedByRule('The "lineObjectNumber" does not match to a G/L Account.');
  const accountId = String(account.values.id);
  if (givenId !== undefined && givenId !== accountId) {
    throw refusedByRule('The "accountId" and the "lineObjectNumber" do not match to the same G/L Account.');
  }
  return { accountId };
}
