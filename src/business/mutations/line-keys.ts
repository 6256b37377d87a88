import { selectMore, selectNothing } from '../../graph/selected-object.ts';
import { invalidInput, type UserError } from '../../graph/user-errors.ts';
import { type RecordSet, type RowShape, toUpstreamCode } from '../record-sets/record-set.ts';
import type { Business } from '../records/business.ts';
import { lineShapeOf, type WriteInput } from '../writing/write-fields.ts';

const keyFields = selectMore(selectNothing, ['id', 'number']);

/**
 * Replaces, in the lines of a create, keys of items and accounts by the keys that the upstream accepts (`lineKeys`). Looks the
 * records up, and adds keys without a record to `faults`. `path` is the path of the input.
 */
export async function completeLines(
  business: Business,
  shape: RowShape,
  companyId: string,
  input: WriteInput,
  path: readonly string[],
  faults: UserError[],
): Promise<WriteInput> {
  const completed: Record<string, unknown> = { ...input };
  for (const [name, value] of Object.entries(input)) {
    const lines = lineShapeOf(shape, name);
    const keys = Object.entries(lines?.dialects?.[business.dialect.name]?.lineKeys ?? {});
    if (!lines || keys.length === 0 || value == null) continue;
    const complete = async (line: WriteInput, index: number): Promise<WriteInput> => {
      const [given, accepted] = keys.find(([one]) => line[one] != null) ?? [];
      if (given === undefined || accepted === undefined || line[accepted] != null) return line;
      const relation = given.replace(/(Id|No)$/, '');
      const lineType = relation === 'account' ? 'Account' : 'Item';
      if (line.lineType != null && line.lineType !== lineType) return line;
      const view = business.plan(lines.relations?.[relation]?.target as RecordSet, keyFields);
      const key = line[given] as string;
      const record = given.endsWith('Id')
        ? await business.loadView(view, companyId, key)
        : await business.loadViewByNumber(view, companyId, toUpstreamCode(key));
      const { [given]: _given, lineType: _type, ...rest } = line;
      if (record)
        return accepted === 'itemNo'
          ? { lineType, itemNo: record.number, ...rest }
          : { itemId: record.id, ...rest };
      const what = `${relation} with this ${given.endsWith('Id') ? 'id' : 'number'}`;
      faults.push(invalidInput(`There is no ${what}.`, ...path, name, String(index), given));
      return line;
    };
    completed[name] = await Promise.all((value as readonly WriteInput[]).map(complete));
  }
  return completed;
}
