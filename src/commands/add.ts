import { type AddArguments, addRecordType } from '../adding/add.ts';
import { AddingError } from '../adding/xml.ts';
import { loadRecordTypes } from '../app/schema/record-types.ts';
import { loadConfig } from './load-settings.ts';
import { print } from './run-command.ts';

/** Runs `tributary add` and sets the exit code of the process. */
export async function runAdd(args: AddArguments): Promise<void> {
  const { recordTypes } = loadRecordTypes(await loadConfig());
  try {
    print(addRecordType(args, recordTypes));
  } catch (error) {
    if (!(error instanceof AddingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}
