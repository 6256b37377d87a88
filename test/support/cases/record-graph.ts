import { readdirSync, readFileSync } from 'node:fs';
import { addResolversToSchema } from '@graphql-tools/schema';
import { buildASTSchema, concatAST, execute, type GraphQLSchema, getOperationAST, parse } from 'graphql';
import { onTestFinished } from 'vitest';
import { createBusiness } from '../../../src/business/business.ts';
import { getDialect } from '../../../src/business/dialect.ts';
import { businessErrorRules } from '../../../src/business/error-rules.ts';
import { createFileAddresses } from '../../../src/business/files.ts';
import { createExpansionPlanning } from '../../../src/business/reading/expansions.ts';
import { crossTypeResolvers, resolversOf } from '../../../src/business/record-resolvers.ts';
import type { RecordTypeDescriptor } from '../../../src/business/record-type.ts';
import { recordTypes as builtIn } from '../../../src/business/records/index.ts';
import { addRecordTypeDefs } from '../../../src/business/type-defs/record-type-defs.ts';
import { createClientSuppliedIds } from '../../../src/business/writing/client-supplied-ids.ts';
import { createCursorCodec } from '../../../src/graph/cursor.ts';
import { type ReferenceResolver, resolveEntities } from '../../../src/graph/entities.ts';
import { addInputEnums } from '../../../src/graph/input-enums.ts';
import { addNodeDefs, resolveNodes } from '../../../src/graph/nodes.ts';
import { scalars } from '../../../src/graph/scalars.ts';
import { createSelectionCache } from '../../../src/graph/selection.ts';
import { buildSubgraph } from '../../../src/graph/subgraph.ts';
import { createForwardedAccess } from '../../../src/http/auth/access.ts';
import { createSharedReads } from '../../../src/http/shared-reads.ts';
import { createUpstream } from '../../../src/http/upstream.ts';
import type { Json } from '../json.ts';
import { plainWire } from '../proxies/wire.ts';

export const stubCompanyId = '0e0f0986-928f-40d7-8834-d1910255a423';

interface RecordGraphOptions {
  readonly url: string;
  readonly recordTypes: readonly RecordTypeDescriptor[];
  /** The types, inputs and mutations of these record types. */
  readonly sdl: string;
  readonly dialect?: 'document' | 'dynamics';
}

export interface GraphAnswer {
  readonly data: Json;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: Json;
    readonly path?: unknown;
  }[];
}

// The files of areas B and C refer to definitions that derive from their own kinds.
const ofOtherAreas = /instance|health|management|availability|upstreams/;
const folder = new URL('../../../schema/', import.meta.url);
const schemas = new Map<string, GraphQLSchema>();

/** The schema of area A with these record types; made once, as it takes a second. */
function schemaWith({
  recordTypes: more,
  sdl,
}: Pick<RecordGraphOptions, 'recordTypes' | 'sdl'>): GraphQLSchema {
  const known = schemas.get(sdl);
  if (known) return known;
  const recordTypes: readonly RecordTypeDescriptor[] = [
    ...builtIn.filter(({ type }) => !more.some((other) => other.type === type)),
    ...more,
  ];
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql') && !ofOtherAreas.test(file));
  const documents = [
    ...files.map((file) => parse(readFileSync(new URL(file, folder), 'utf8'))),
    // Defined beside health events.
    parse('input IntFilter { eq: Int ne: Int in: [Int!] }'),
    parse(sdl),
  ];
  const subgraph = buildSubgraph(addNodeDefs(addInputEnums(addRecordTypeDefs(documents, recordTypes))));
  const fields: Record<string, Record<string, unknown>> = {};
  const references: Record<string, ReferenceResolver> = {};
  for (const resolvers of [...recordTypes.flatMap(resolversOf), crossTypeResolvers(recordTypes)])
    for (const [type, given] of Object.entries(resolvers)) {
      const { __resolveReference, ...own } = given as Record<string, unknown>;
      if (__resolveReference) references[type] = __resolveReference as ReferenceResolver;
      fields[type] = { ...fields[type], ...own };
    }
  for (const [name, { serialize, parseValue, parseLiteral }] of Object.entries(scalars))
    fields[name] = { serialize, parseValue, parseLiteral };
  const schema = addResolversToSchema({
    schema: buildASTSchema(concatAST([subgraph, parse('type Mutation type Subscription')])),
    resolvers: fields as never,
    resolverValidationOptions: { requireResolversToMatchSchema: 'ignore' },
  });
  resolveNodes(schema, resolveEntities(schema, references));
  schemas.set(sdl, schema);
  return schema;
}

/** The graph of some record types over an upstream: as the server makes it, with a context for each operation. */
export function createRecordGraph(options: RecordGraphOptions) {
  const schema = schemaWith(options);
  const { client } = createUpstream({
    upstream: 'business',
    url: options.url,
    maxAttempts: 1,
    readTimeoutMs: 5_000,
    writeTimeoutMs: 5_000,
    maxResponseBytes: 1_000_000,
    wire: plainWire,
    clientRequestIdHeader: 'client-request-id',
    maxConnections: 8,
    keepAliveMs: 4_000,
    maxCallsPerCaller: 8,
    maxWaitingPerCaller: 100,
    quota: null,
    sharedQuota: null,
    hasBreaker: false,
    secrets: [],
    errorRules: businessErrorRules,
    onThrottled() {},
    onBreakerChange() {},
    random: () => 0,
  });
  onTestFinished(() => client.close());
  const dialect = getDialect(options.dialect ?? 'document');
  const requestOptions = {
    client,
    inFlight: createSharedReads('business'),
    dialect,
    recentWrites: { mark() {}, markOf: () => 0, marks: () => 0 },
    files: createFileAddresses({ secrets: ['s'], seconds: 300, baseUrl: '/files/', now: Date.now }),
    writeTimeoutMs: 5_000,
    cursors: createCursorCodec(['a secret']),
    defaultCompanyId: stubCompanyId,
    clientSuppliedIds: createClientSuppliedIds('auto', () => {}),
    planExpansions: createExpansionPlanning({ dialect, onRefused() {} }),
  };
  const access = createForwardedAccess('business', 'ann', { principal: 'ann' });
  const selectionOf = createSelectionCache(schema);

  return {
    schema,
    async query(text: string, variables: Readonly<Record<string, unknown>> = {}): Promise<GraphAnswer> {
      const document = parse(text);
      const operation = getOperationAST(document);
      if (!operation) throw new Error('one operation');
      const business = createBusiness(requestOptions, access, selectionOf(document, operation, variables));
      const result = await execute({
        schema,
        document,
        variableValues: variables,
        contextValue: { business },
      });
      return JSON.parse(
        JSON.stringify({
          ...result,
          ...(result.errors && {
            errors: result.errors.map(({ message, path, originalError, extensions }) => ({
              message,
              path,
              extensions: {
                ...extensions,
                ...(originalError && 'code' in originalError && { code: originalError.code }),
              },
            })),
          }),
        }),
      ) as GraphAnswer;
    },
  };
}
