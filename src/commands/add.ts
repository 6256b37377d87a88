import { isObjectType } from 'graphql';
import { type AddArguments, AddingError, addRecordType } from '../adding/add.ts';
import { createConfiguredFetch } from '../app/connect-upstreams.ts';
import { loadRecordTypes } from '../app/schema/record-types.ts';
import { buildClientSchema, readTypeDefs } from '../app/schema/sdl.ts';
import type { RecordTypeList } from '../business/record-files/record-type-list.ts';
import type { ExistingGraph } from '../metadata/draft-record-file.ts';
import { loadConfig } from './load-settings.ts';
import { print } from './run-command.ts';

/** Runs `tributary add` and sets the exit code of the process. */
export async function runAdd(args: AddArguments): Promise<void> {
  const config = await loadConfig();
  try {
    await addRecordType(args, {
      graph: describeGraph(loadRecordTypes(config)),
      fetch: createConfiguredFetch(config),
      print,
    });
  } catch (error) {
    if (!(error instanceof AddingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}

function describeGraph(list: RecordTypeList): ExistingGraph {
  const schema = buildClientSchema(readTypeDefs(list));
  const company = schema.getType('Company');
  return {
    known: list.recordTypes.map(({ type, entitySet, route, names }) => ({
      type,
      entitySet,
      route,
      isTarget: names !== undefined,
    })),
    types: new Set(Object.keys(schema.getTypeMap())),
    fieldsOfCompany: new Set(isObjectType(company) ? Object.keys(company.getFields()) : []),
  };
}
