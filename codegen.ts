import { existsSync } from 'node:fs';
import type { CodegenConfig } from '@graphql-codegen/cli';
import { concatAST, print } from 'graphql';
import { productRecordTypes } from './src/app/schema/product-record-types.ts';
import { readTypeDefs } from './src/app/schema/sdl.ts';
import type { RowShape } from './src/business/record-set.ts';
import type { RecordTypeDescriptor } from './src/business/record-type.ts';
import { recordTypes } from './src/business/records/index.ts';

const scalars = {
  UUID: 'string',
  Date: 'string',
  DateTime: 'string',
  Decimal: 'string',
  SafeInt: 'number',
  JSON: 'unknown',
};

/** A record type or the rows in its records. */
const listShapes = (recordType: RecordTypeDescriptor): readonly RowShape[] => [
  recordType,
  ...Object.values(recordType.relations ?? {}).flatMap(({ isMany, target }) => (isMany ? [target] : [])),
];

/** `CustomerRecord` of `records/customers.ts` for the type Customer, and the same for the rows inside a record. */
const recordMappers = Object.fromEntries(
  recordTypes.flatMap((recordType) => {
    const stem = recordType.entitySet.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
    return listShapes(recordType).map(({ type }) => [type, `../business/records/${stem}.ts#${type}Record`]);
  }),
);

/** Those of record files have no types of their own. */
const fileMappers = Object.fromEntries(
  productRecordTypes()
    .recordTypes.filter((recordType) => !recordTypes.includes(recordType))
    .flatMap(listShapes)
    .map(({ type }) => [type, '../business/record-set.ts#AnyRecord']),
);

/** What a client of the graph generates for itself: types of its operations, and their manifest. */
const createClient = (documents: string): CodegenConfig['generates'][string] => ({
  documents,
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
});

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
        customResolveInfo: '../graph/selection.ts#FieldInfo',
        mappers: {
          ...recordMappers,
          ...fileMappers,
          CustomerFinancials: '../business/records/customers.ts#CustomerFinancialsRecord',
          AgedReceivables: '../business/records/customers.ts#AgedReceivablesRecord',
          ApplicationInstance: '../instances/resources/resource-records.ts#InstanceRecord',
          VirtualInstance: '../instances/resources/resource-records.ts#VirtualInstanceRecord',
          CentralInstance: '../instances/resources/resource-records.ts#CentralInstanceRecord',
          DatabaseInstance: '../instances/resources/resource-records.ts#DatabaseInstanceRecord',
          RecordChange: '../changes/changes.ts#RecordChangeRecord',
          HealthEvent: '../health/event-record.ts#HealthEventRecord',
          HealthEventImpactedResource: '../health/impacted-resources.ts#ImpactedResourceRecord',
          ManagementSubscription: '../health/affected-resources.ts#SubscriptionRecord',
          ResourceAvailability: '../health/availability.ts#AvailabilityRecord',
          InstanceOperation: '../instances/operations/operation-handle.ts#OperationRecord',
          OperationStep: '../instances/operations/operation-status.ts#StepRecord',
        },
      },
    },
    // An image is built without the examples.
    ...(existsSync('examples') && {
      'examples/app/generated/': createClient('examples/app/*.ts'),
      'examples/agent/generated/': createClient('examples/agent/operations/*.graphql'),
    }),
  },
};

// biome-ignore lint/style/noDefaultExport: graphql-codegen reads its configuration as a default export
export default config;
