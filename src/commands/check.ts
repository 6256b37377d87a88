import { loadRecordTypes } from '../app/record-types.ts';
import { loadConfig, print } from './run-command.ts';

/** Validates the settings and the record files that they name. */
export async function runCheck(): Promise<undefined> {
  loadRecordTypes(loadConfig());
  print('The settings are valid.');
}
