import { loadRecordTypes } from '../app/schema/record-types.ts';
import { clientSdl, subgraphSdl } from '../app/schema/sdl.ts';
import { loadConfig, mayHaveSetting } from './load-settings.ts';
import { print } from './run-command.ts';

interface SchemaOptions {
  readonly subgraph?: boolean;
  readonly policies?: boolean;
  /** Names a file of settings. */
  readonly config?: string;
}

/** Prints the schema. It is that of any settings, unless `policies` or RECORD_TYPES say more about it. */
export async function runSchema({ subgraph, policies, config: path }: SchemaOptions): Promise<void> {
  const config =
    policies || mayHaveSetting('RECORD_TYPES', path) ? await loadConfig({ config: path }) : undefined;
  const list = config && loadRecordTypes(config);
  print(subgraph ? subgraphSdl(policies ? config : undefined, list) : clientSdl(list));
}
