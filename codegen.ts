import type { CodegenConfig } from '@graphql-codegen/cli';
import { concatAST, print } from 'graphql';
import { readTypeDefs } from './src/app/type-defs.ts';
import type { RowShape } from './src/business/record-set.ts';
import { recordTypes } from './src/business/records/index.ts';

const scalars = {
  UUID: 'string',
  Date: 'string',
  DateTime: 'string',
  Decimal: 'string',
  SafeInt: 'number',
  JSON: 'unknown',
};

/** `CustomerRecord` of `records/customers.ts` for the type Customer, and the same for the rows inside a record. */
const recordMappers = Object.fromEntries(
  recordTypes.flatMap((recordType) => {
    const stem = recordType.entitySet.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
    const rows = Object.values(recordType.relations ?? {}).filter(({ isMany }) => isMany);
    const shapes: RowShape[] = [recordType, ...rows.map(({ target }) => target)];
    return shapes.map(({ type }) => [type, `../business/records/${stem}.ts#${type}Record`]);
  }),
);

const config: CodegenConfig = {
  schema: print(concatAST(readTypeDefs())),
  generates: {
    'src/generated/graphql.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        useTypeImports: true,
        immutableTypes: true,
        enumsAsTypes: true,
        strictScalars: true,
        federation: true,
        defaultScalarType: 'unknown',
        inputMaybeValue: 'T | null',
        avoidOptionals: { defaultValue: true },
        scalars: { ...scalars, ID: 'string', _FieldSet: 'string' },
        contextType: '../graph/context.ts#Context',
        mappers: {
          ...recordMappers,
          ApplicationInstance: '../instances/instance-record.ts#InstanceRecord',
          RecordChange: '../changes/changes.ts#RecordChangeRecord',
          HealthEvent: '../health/event-record.ts#HealthEventRecord',
          InstanceOperation: '../instances/operation-handle.ts#OperationRecord',
          OperationStep: '../instances/operation-status.ts#StepRecord',
        },
      },
    },
    // What a client of the graph generates for itself: types of its operations, and their manifest.
    'examples/app/generated/': {
      documents: 'examples/app/*.ts',
      preset: 'client',
      presetConfig: {
        fragmentMasking: false,
        persistedDocuments: { hashAlgorithm: 'sha256' },
      },
      config: {
        federation: true,
        documentMode: 'string',
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        defaultScalarType: 'unknown',
        importExtension: '.ts',
        scalars,
      },
    },
  },
};

// biome-ignore lint/style/noDefaultExport: graphql-codegen reads its configuration as a default export
export default config;
