import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordFile, RecordTypeFile } from '../business/record-files/record-file.ts';
import { createFormat, type Format, readTextOrNull } from './planned-files.ts';
import { projectFiles, requireCheckout } from './project.ts';
import { parseRecordFile } from './record-file-text.ts';
import type { AddArguments, AddingContext } from './request.ts';
import { isCodeName } from './sandbox-code.ts';

/** Where record files are written: a checkout, or a folder that holds nothing else. */
export interface Target {
  /** Absolute, or relative to where the command runs. */
  readonly folder: string;
  readonly isCheckout: boolean;
  readonly format: Format;
  recordPath(entitySet: string): string;
  /** The record file of an entity set; null where there is none. */
  read(entitySet: string): RecordFile | null;
  /** The text of a file below the folder; null where there is none. */
  readText(path: string): string | null;
  /** The text of the sandbox's set of a name; null where there is none. */
  readSet(entitySet: string): string | null;
  /** The record files of types that are there. */
  readOthers(): readonly RecordTypeFile[];
}

export function createTarget({ json, out }: AddArguments, { folder: current }: AddingContext): Target {
  if (!json) requireCheckout(current);
  const folder = json ? (out ?? null) : current;
  const recordPath = (entitySet: string) => (json ? `${entitySet}.json` : projectFiles.record(entitySet));
  const readText = (path: string) => (folder === null ? null : readTextOrNull(join(folder, path)));
  return {
    folder: folder ?? current,
    isCheckout: !json,
    format: json ? (_path, text) => text : createFormat(current),
    recordPath,
    readText,
    read(entitySet) {
      const text = readText(recordPath(entitySet));
      return text === null ? null : parseRecordFile(text, recordPath(entitySet));
    },
    readSet: (entitySet) => (isCodeName(entitySet) ? readText(projectFiles.set(entitySet)) : null),
    readOthers() {
      if (folder === null) return [];
      return listJson(json ? folder : join(folder, 'schema/records')).flatMap((path) => {
        return [parseRecordFile(readTextOrNull(path) ?? '', path)];
      });
    },
  };
}

function listJson(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .sort()
      .map((file) => join(folder, file));
  } catch {
    // The folder is made when the first file is written.
    return [];
  }
}
