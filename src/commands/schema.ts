import { loadRecordTypes } from '../app/schema/record-types.ts';
import { clientSdl, subgraphSdl } from '../app/schema/sdl.ts';
import { hasSetting, loadConfig } from './load-settings.ts';
import { print } from './run-command.ts';

/** Prints the schema. It is that of any settings, unless RECORD_TYPES adds to it. */
export async function runSchema({ subgraph }: { readonly subgraph?: boolean }): Promise<void> {
  const model = hasSetting('RECORD_TYPES') ? loadRecordTypes(await loadConfig()) : undefined;
  print(subgraph ? subgraphSdl(model) : clientSdl(model));
}
