import type { RecordTypeDescriptor } from '../record-type.ts';
import { checkEnums, checkFields, type Report } from './file-rules.ts';
import type { ExtensionFile } from './record-file.ts';

/** What is wrong with the fields that a file adds to a type. */
export function checkSourceFields(
  content: ExtensionFile,
  { key, type, writes = [] }: Pick<RecordTypeDescriptor, 'key' | 'type' | 'writes'>,
  report: Report,
): void {
  const { fields, enums, sources } = content;
  checkFields('', fields, { enums, ...(key && { key: [...key] }) }, report);
  checkEnums({ enums }, report);
  if ((key?.length ?? 1) > 1 && Object.values(sources).some((source) => source.key !== undefined))
    report('sources', 'The key has several columns, which have the same names in all sets. Leave `key` out.');
  for (const [name, field] of Object.entries(fields)) {
    if (field.source === undefined || !Object.hasOwn(sources, field.source))
      report(`fields.${name}.source`, 'Name the entry of `sources` that has the column.');
    const missing = (field.writes ?? []).find((write) => !writes.includes(write));
    if (missing !== undefined)
      report(
        `fields.${name}.writes`,
        `There is no mutation that can ${missing} a \`${type}\`. Leave \`${missing}\` out.`,
      );
  }
}
