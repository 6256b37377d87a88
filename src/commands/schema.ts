import { loadGraphModel } from '../app/schema/graph-model.ts';
import { clientSdl, subgraphSdl } from '../app/schema/sdl.ts';
import { hasSetting, loadConfig } from './load-settings.ts';
import { print } from './run-command.ts';

/** Prints the schema. Other settings than these do not change it, so they need not be valid. */
export async function runSchema({ subgraph }: { readonly subgraph?: boolean }): Promise<void> {
  const isChanged = (['RECORD_TYPES', 'EXTENSIONS', 'HIDDEN'] as const).some(hasSetting);
  const model = isChanged ? await loadGraphModel(await loadConfig()) : undefined;
  print(subgraph ? subgraphSdl(model) : clientSdl(model));
}
