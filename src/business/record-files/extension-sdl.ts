import type { RecordTypeDescriptor } from '../record-type.ts';
import type { ExtensionFile, RecordTypeFile } from './record-file.ts';
import { capitalize } from './sdl-text.ts';
import { enumSdl, fieldSdl } from './type-sdl.ts';
import { inputSdl, writable } from './write-sdl.ts';

/** The SDL of the fields that a file adds to a type: to its records, and to the inputs that write them. */
export function extensionSdl(
  file: ExtensionFile,
  { type, names, writes = [] }: RecordTypeDescriptor,
): string {
  const { fields } = file;
  const inputs = [
    { write: 'create', name: `Create${capitalize(names?.one ?? type)}Input` },
    { write: 'update', name: `${type}Patch` },
  ] as const;
  return [
    `extend type ${type} {\n  ${fieldSdl(fields)}\n}`,
    ...enumSdl(file as Pick<RecordTypeFile, 'fields' | 'enums'>),
    ...inputs
      .filter(({ write }) => writes.includes(write) && writable(fields, write).length > 0)
      .map(({ write, name }) => `extend input ${name} {\n  ${inputSdl(fields, {}, write)}\n}`),
  ].join('\n\n');
}
