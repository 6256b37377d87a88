import { ApiError } from '../../api-error.ts';
import type { ApiRequest, ApiResponse } from '../../http.ts';
import type { Dialect } from '../dialect.ts';
import { respondWithCollection } from '../query/collection.ts';
import type { PageTokens } from '../query/page-tokens.ts';
import { splitRoute } from '../served-routes.ts';
import type { Store } from '../store.ts';
import { entityDefinitionSet, entityDefinitions } from './entity-definitions.ts';
import { printMetadata } from './metadata.ts';
import { metadataModel } from './metadata-model.ts';

interface ServiceData {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly pages: PageTokens;
}

/** Responds to what describes a route, `$metadata` and `entityDefinitions`; undefined for any other path. */
export function respondWithServiceResource(request: ApiRequest, data: ServiceData): ApiResponse | undefined {
  const { route = '', rest } = splitRoute(request.path) ?? {};
  if (rest !== '$metadata' && rest !== 'entityDefinitions') return undefined;
  if (request.method !== 'GET') throw methodNotAllowedError(request.method, rest);
  const model = metadataModel(data.dialect, route);
  if (rest === '$metadata')
    return { status: 200, headers: { 'content-type': 'application/xml' }, body: printMetadata(model) };
  const [company] = data.store.companies.values();
  if (!company) throw new TypeError('expected a store with companies');
  const collection = {
    set: entityDefinitionSet,
    company,
    dialect: data.dialect,
    records: () => entityDefinitions(model),
    address: `${request.origin}${request.path}`,
    context: `${request.origin}/api/${route}/$metadata#entityDefinitions`,
  };
  return respondWithCollection(collection, request, data.pages);
}

function methodNotAllowedError(method: string, name: string): ApiError {
  return new ApiError(
    405,
    'BadRequest_MethodNotAllowed',
    `'${method}' requests for '${name}' of EdmType 'Collection' are not allowed within the OData web services.`,
    { headers: { allow: 'GET' } },
  );
}
