import { businessRuleError } from '../../api-error.ts';
import type { Company } from '../store.ts';
import { findRecord, recordsOf } from '../store.ts';
import type { FieldValue, RecordValues } from '../values.ts';
import { unsetGuid } from '../values.ts';

/** The real service's names of two fields of lines. Stored lines have both names. */
export const dynamicsLineNames: Readonly<Record<string, string>> = {
  lineNo: 'sequence',
  itemNo: 'lineObjectNumber',
};

/** Converts the fields of a line to the document's names. The number of an account, under either name, becomes its id. */
export function toDocumentNames(given: RecordValues, company: Company): RecordValues {
  const { sequence, lineObjectNumber, itemNo, ...rest } = given;
  const name = lineObjectNumber === undefined ? 'itemNo' : 'lineObjectNumber';
  const number = lineObjectNumber ?? itemNo;
  return {
    ...rest,
    ...(sequence === undefined ? {} : { lineNo: sequence }),
    ...(number === undefined ? {} : resolveLineObject(name, number, given, company)),
  };
}

/** Adds the real service's names to a line. `lineObjectNumber` is the number of the item or account. */
export function withBothNames<Line extends RecordValues>(line: Line, company: Company): Line & RecordValues {
  const account = recordsOf(company, 'accounts').get(String(line.accountId ?? unsetGuid));
  const lineObjectNumber = account?.values.number ?? line.itemNo ?? '';
  return { ...line, sequence: line.lineNo ?? 0, lineObjectNumber };
}

function resolveLineObject(
  name: 'itemNo' | 'lineObjectNumber',
  number: FieldValue,
  given: RecordValues,
  company: Company,
): Record<string, FieldValue> {
  const { lineType, accountId: givenId, itemId } = given;
  const isOfAccount =
    name === 'lineObjectNumber' && lineType === undefined && givenId !== undefined && itemId === undefined;
  if (lineType !== 'Account' && !isOfAccount) return { itemNo: number };
  const account = findRecord(company, 'accounts', 'number', number);
  if (!account) throw businessRuleError(`The "${name}" does not match to a G/L Account.`);
  const accountId = String(account.values.id);
  if (givenId !== undefined && givenId !== accountId) {
    throw businessRuleError(`The "accountId" and the "${name}" do not match to the same G/L Account.`);
  }
  return { accountId };
}
