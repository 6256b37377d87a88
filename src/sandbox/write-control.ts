import type { ChosenIds } from './business/chosen-ids.ts';
import { readChosenIds } from './business/chosen-ids.ts';
import { readJsonObject } from './business/field-values.ts';
import type { Store, StoredRecord } from './business/store.ts';
import { idOf } from './business/store.ts';
import { chaosKinds, kindsByName } from './chaos.ts';
import type { ControlAddresses } from './control.ts';
import type { Answer, Call } from './http.ts';
import { empty, json, readParameters } from './http.ts';
import { badRequest } from './refusal.ts';

/** What steers, and shows, the writes of area A. */
interface Writes {
  /** Changes what becomes of ids that callers choose, for the sets named. */
  chosenIds(policies: Partial<ChosenIds>): void;
  /** Disturbs writes at random from now on; throws a `Refusal` that names a mistake. */
  chaos(json: Readonly<Record<string, unknown>>): void;
  /** What is true, whatever replicas show and answers said. */
  store(): Store;
}

/** The addresses below `/sandbox` that are about writes. */
export function writeControls(writes: Writes): ControlAddresses {
  return {
    'POST /sandbox/chosen-ids': {
      about: '{"customers": "drop"}: what becomes of the id in a POST of a set: honour, drop or refuse',
      answer(call) {
        writes.chosenIds(readChosenIds(readJsonObject(call.body)));
        return empty(204);
      },
    },
    'GET /sandbox/records': {
      about:
        '?set=customers: the records of the first company as they are stored, and how often each was written',
      answer: (call) => answerRecords(call, writes.store()),
    },
    'POST /sandbox/chaos': {
      about: `{"seed": 1, "rate": 0.2} disturbs a fifth of the writes of records, at random but the same for the same seed and order; {"rate": 0} ends it; also path, method, slowMs, {"reads": true} for reads, too, and kinds: ${chaosKinds.join(', ')}; the last ${kindsByName.length} only where they are named`,
      answer(call) {
        writes.chaos(readJsonObject(call.body));
        return empty(204);
      },
    },
  };
}

/** The records of a set of the first company, in the order they were made, whatever was answered about them. */
function answerRecords(call: Call, store: Store): Answer {
  const [company] = store.companies.values();
  const set = readParameters(call.query).get('set') ?? '';
  const records = company?.sets.get(set);
  if (!company || !records) {
    throw badRequest(`'set' must be one of ${[...(company?.sets.keys() ?? [])].join(', ')}.`);
  }
  return json(200, { company: idOf(company.record), set, records: [...records.values()].map(shown) });
}

function shown(record: StoredRecord): Record<string, unknown> {
  const { version, etag, values, lines } = record;
  return { id: idOf(record), version, etag, values, lines: lines.map((line) => line.values) };
}
