/** Reads the schema by introspection, once for each page. */

import { buildClientSchema, getIntrospectionQuery } from './libraries.js';

/**
 * @import { GraphQLSchema, IntrospectionQuery } from 'graphql'
 * @import { GraphRequest } from './graph.js'
 */

/**
 * @param {(request: GraphRequest) => ReturnType<typeof import('./graph.js').send>} sendRequest
 * @returns {Promise<GraphQLSchema>}
 * @throws {Error} in words for the user
 */
export async function loadSchema(sendRequest) {
  const query = getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true, schemaDescription: true });
  const { status, result } = await sendRequest({
    query,
    operationName: 'IntrospectionQuery',
    variables: {},
  });
  const data = /** @type {IntrospectionQuery | null | undefined} */ (result?.data);
  if (!data?.__schema)
    throw new Error(result?.errors?.[0]?.message ?? `The server answered with status ${status}.`);
  return buildClientSchema(hideFederation(data), { assumeValid: true });
}

// Federation's names: https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec
const isFederationType = (/** @type {string} */ name) =>
  /^(_(Any|Entity|Service)|(federation|link)__\w+)$/.test(name);
const isFederationField = (/** @type {string} */ name) => name === '_entities' || name === '_service';

/**
 * Leaves out what is there for gateways only.
 *
 * @param {IntrospectionQuery} introspection
 * @returns {IntrospectionQuery}
 */
export function hideFederation({ __schema: schema }) {
  const types = schema.types
    .filter(({ name }) => !isFederationType(name))
    .map((type) =>
      type.kind === 'OBJECT' && type.name === schema.queryType.name
        ? { ...type, fields: type.fields.filter(({ name }) => !isFederationField(name)) }
        : type,
    );
  const directives = schema.directives.filter(({ args }) => !args.some(({ type }) => namesFederation(type)));
  return { __schema: { ...schema, types, directives } };
}

/** @param {{ name?: string, ofType?: any }} type @returns {boolean} */
const namesFederation = ({ name, ofType }) =>
  (name !== undefined && name !== null && isFederationType(name)) ||
  (ofType ? namesFederation(ofType) : false);
