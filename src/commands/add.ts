import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { addRecordTypes } from '../adding/add.ts';
import { AddingError } from '../adding/adding-error.ts';
import { parseRecordFile } from '../adding/record-file-text.ts';
import type { AddArguments } from '../adding/request.ts';
import { createConfiguredFetch } from '../app/proxies.ts';
import { buildClientSchema } from '../app/schema/sdl.ts';
import { readTypeDefs } from '../app/schema/type-defs.ts';
import type { RecordTypeFile } from '../business/record-files/record-file.ts';
import { recordTypes } from '../business/records/index.ts';
import { draftRecordFiles } from '../metadata/draft-record-files.ts';
import { loadEnvironmentConfig } from './load-settings.ts';
import { print } from './run-command.ts';

/** Runs `tributary add` and sets the exit code of the process. */
export async function runAdd(args: AddArguments): Promise<void> {
  const note = (text: string) => void process.stderr.write(`${text}\n`);
  const isPrinting = args.json === true && args.out === undefined;
  try {
    process.exitCode = await addRecordTypes(args, {
      folder: process.cwd(),
      draft: draftRecordFiles,
      recordTypes,
      productFiles: readProductFiles(),
      typeNames: listTypeNames(),
      fetch: createConfiguredFetch(loadEnvironmentConfig()),
      today: new Date().toISOString().slice(0, 10),
      print,
      note: isPrinting ? note : print,
    });
  } catch (error) {
    if (!(error instanceof AddingError)) throw error;
    note(error.message);
    process.exitCode = error.exitCode;
  }
  return undefined;
}

function readProductFiles(): readonly RecordTypeFile[] {
  const folder = new URL('../../schema/records/', import.meta.url);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => parseRecordFile(readFileSync(new URL(name, folder), 'utf8'), name));
}

const listTypeNames = (): ReadonlySet<string> =>
  new Set(Object.keys(buildClientSchema(readTypeDefs()).getTypeMap()));
