import { loadRecordTypes } from '../app/record-types.ts';
import { requireSafeMcp } from '../config/mcp-requirements.ts';
import { loadConfig, print } from './run-command.ts';

/** Validates the settings as `serve` does, and the record files that they name. */
export async function runCheck(): Promise<undefined> {
  const config = loadConfig();
  requireSafeMcp(config);
  loadRecordTypes(config);
  print('The settings are valid.');
}
