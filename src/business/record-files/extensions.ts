import { type DocumentNode, parse } from 'graphql';
import type { RecordTypeDescriptor } from '../record-type.ts';
import { addSources } from '../sources/record-sources.ts';
import { extensionSdl } from './extension-sdl.ts';
import { sourceAdditionOf } from './file-descriptor.ts';
import type { FileMistake, Loaded } from './file-mistakes.ts';
import type { ExtensionFile } from './record-file.ts';
import { checkSourceFields } from './source-rules.ts';

interface DescribedExtension extends Loaded<ExtensionFile> {
  readonly recordType: RecordTypeDescriptor;
  readonly typeDefs: DocumentNode;
}

interface Extended {
  readonly recordTypes: readonly RecordTypeDescriptor[];
  readonly described: readonly DescribedExtension[];
  readonly mistakes: readonly FileMistake[];
}

/** Record types with the fields that these files add to them. */
export function addExtensions(
  recordTypes: readonly RecordTypeDescriptor[],
  files: readonly Loaded<ExtensionFile>[],
): Extended {
  const byType = new Map(recordTypes.map((recordType) => [recordType.type, recordType]));
  const described: DescribedExtension[] = [];
  const mistakes: FileMistake[] = [];
  for (const { file, content } of files) {
    const report = (place: string, message: string) => void mistakes.push({ file, place, message });
    const base = byType.get(content.extends);
    if (!base?.names) {
      report('extends', `There is no record type \`${content.extends}\`. Correct it, or add its file.`);
      continue;
    }
    const before = mistakes.length;
    checkSourceFields(content, base, report);
    if (mistakes.length > before) continue;
    try {
      const recordType = addSources(base, sourceAdditionOf(content));
      byType.set(base.type, recordType);
      const typeDefs = parse(extensionSdl(content, recordType), { noLocation: true });
      described.push({ file, content, recordType, typeDefs });
    } catch (error) {
      report('fields', (error as Error).message);
    }
  }
  return {
    recordTypes: recordTypes.map(({ type }) => byType.get(type) as RecordTypeDescriptor),
    described,
    mistakes,
  };
}
