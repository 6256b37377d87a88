import { type AddArguments, AddingError, addRecordType } from '../adding/add.ts';
import { createConfiguredFetch } from '../app/connect-upstreams.ts';
import { loadRecordTypes } from '../app/schema/record-types.ts';
import { loadConfig } from './load-settings.ts';
import { print } from './run-command.ts';

/** Runs `tributary add` and sets the exit code of the process. */
export async function runAdd(args: AddArguments): Promise<void> {
  const config = await loadConfig();
  try {
    await addRecordType(args, {
      known: loadRecordTypes(config).recordTypes.map(({ type, entitySet, route, names }) => ({
        type,
        entitySet,
        route,
        isTarget: names !== undefined,
      })),
      fetch: createConfiguredFetch(config),
      print,
    });
  } catch (error) {
    if (!(error instanceof AddingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}
