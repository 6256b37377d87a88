import { loadRecordTypes } from '../app/record-types.ts';
import { clientSdl, subgraphSdl } from '../app/sdl.ts';
import { hasSetting, loadConfig } from './load-settings.ts';
import { print } from './run-command.ts';

interface SchemaOptions {
  readonly subgraph?: boolean;
  readonly policies?: boolean;
}

/** Prints the schema. It is that of any settings, unless `policies` or RECORD_TYPES say more about it. */
export async function runSchema({ subgraph, policies }: SchemaOptions): Promise<undefined> {
  const config = policies || hasSetting('RECORD_TYPES') ? await loadConfig() : undefined;
  const list = config && loadRecordTypes(config);
  print(subgraph ? subgraphSdl(policies ? config : undefined, list) : clientSdl(list));
}
