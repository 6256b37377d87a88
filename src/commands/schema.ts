import { loadRecordTypes } from '../app/schema/record-types.ts';
import { clientSdl, subgraphSdl } from '../app/schema/sdl.ts';
import { loadConfig, mayHaveSetting } from './load-settings.ts';
import { print } from './run-command.ts';

interface SchemaOptions {
  readonly subgraph?: boolean;
  /** Names a file of settings. */
  readonly config?: string;
}

/** Prints the schema. It is that of any settings, unless RECORD_TYPES adds to it. */
export async function runSchema({ subgraph, config: path }: SchemaOptions): Promise<void> {
  const config = mayHaveSetting('RECORD_TYPES', path) ? await loadConfig({ config: path }) : undefined;
  const list = config && loadRecordTypes(config);
  print(subgraph ? subgraphSdl(list) : clientSdl(list));
}
