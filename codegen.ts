import { existsSync } from 'node:fs';
import type { CodegenConfig } from '@graphql-codegen/cli';
import { concatAST, print } from 'graphql';
import { readSchemaFiles } from './src/app/schema/schema-files.ts';
import { readTypeDefs } from './src/app/schema/sdl.ts';
import { collectDeclarations } from './src/business/declarations/declarations.ts';

const scalars = {
  UUID: 'string',
  Date: 'string',
  DateTime: 'string',
  Decimal: 'string',
  SafeInt: 'number',
  JSON: 'unknown',
};

/** Records of area A, and the rows in them, have the columns that were read. */
const recordMappers = Object.fromEntries(
  [...collectDeclarations(readSchemaFiles()).types.keys()].map((type) => [
    type,
    '../business/record-set.ts#AnyRecord',
  ]),
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
          Company: '../business/companies.ts#CompanyRecord',
          Item: '../business/items/item-reads.ts#ItemRecord',
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
