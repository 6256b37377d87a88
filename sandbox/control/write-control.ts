import { badRequestError } from '../api-error.ts';
import { idOf, type Store, type StoredRecord } from '../business/store.ts';
import { type ClientIdPolicies, readClientIdPolicies } from '../business/writes/client-ids.ts';
import { type Chaos, chaosKinds, optInKinds } from '../faults/chaos.ts';
import type { ApiRequest, ApiResponse, ControlRoutes } from '../http.ts';
import { emptyResponse, jsonResponse, parseQuery } from '../http.ts';
import { readJsonObject } from '../json-checks.ts';

/** What the control API for writes of area A reads and changes. */
interface WriteControls {
  /** Changes the policies for client-supplied ids. */
  chosenIds(policies: ClientIdPolicies): void;
  readonly chaos: Pick<Chaos, 'start' | 'settings'>;
  /** The primary store, regardless of lagging replicas and faults. */
  store(): Store;
}

/** Control routes for writes. */
export function writeRoutes(writes: WriteControls): ControlRoutes {
  return {
    'POST /sandbox/chosen-ids': {
      description:
        '{"customers": "drop"} sets the policy for client-supplied ids of an entity set: honour, drop or refuse.',
      handle(request) {
        writes.chosenIds(readClientIdPolicies(readJsonObject(request.body)));
        return emptyResponse(204);
      },
    },
    'GET /sandbox/records': {
      description: '?set=customers: the stored records of the first company, and how often each was written.',
      handle: (request) => storedRecordsResponse(request, writes.store()),
    },
    'GET /sandbox/chaos': {
      description: 'The settings of random faults.',
      handle: () => jsonResponse(200, writes.chaos.settings()),
    },
    'POST /sandbox/chaos': {
      description: `{"seed": 1, "rate": 0.2} adds random faults to a fifth of the record writes. The same seed and order of requests give the same faults. {"rate": 0} stops it. Also path, method, slowMs, {"reads": true} to include reads, and kinds: ${chaosKinds.join(', ')}. The last ${optInKinds.length} are used only when named.`,
      handle(request) {
        writes.chaos.start(readJsonObject(request.body));
        return emptyResponse(204);
      },
    },
  };
}

/** The stored records of a set of the first company, in the order of their creation. */
function storedRecordsResponse(request: ApiRequest, store: Store): ApiResponse {
  const [company] = store.companies.values();
  const set = parseQuery(request.query).get('set') ?? '';
  const records = company?.sets.get(set);
  if (!company || !records) {
    throw badRequestError(`'set' must be one of ${[...(company?.sets.keys() ?? [])].join(', ')}.`);
  }
  return jsonResponse(200, {
    company: idOf(company.record),
    set,
    records: [...records.values()].map(describeStoredRecord),
  });
}

function describeStoredRecord(record: StoredRecord): Record<string, unknown> {
  const { version, etag, values, lines } = record;
  return { id: idOf(record), version, etag, values, lines: lines.map((line) => line.values) };
}
