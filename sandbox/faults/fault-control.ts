import { badRequestError } from '../api-error.ts';
import type { ControlRoutes } from '../control/control-routes.ts';
import { emptyResponse, jsonResponse, parseQuery } from '../http.ts';
import { readJsonObject } from '../json-body.ts';
import { faultKinds } from './fault-kinds.ts';
import type { Faults } from './faults.ts';
import { faultFields } from './faults.ts';

/** Descriptions of the kinds by name. */
const kinds = Object.entries(faultKinds).map(([name, { description, affects, isOptIn = false }]) => ({
  name,
  description,
  affects,
  isOptIn,
}));

/** Control routes for faults. */
export function faultRoutes(faults: Faults): ControlRoutes {
  return {
    'GET /sandbox/faults': {
      description: 'The faults that are set, with the times they have left, and what each kind does.',
      handle: () => jsonResponse(200, { faults: faults.list(), kinds }),
    },
    'POST /sandbox/faults': {
      description: `Adds a fault for the next matching requests: {"kind": "throttle", "path": "/customers", "times": 2}. Fields: ${faultFields.join(', ')}. delayMs waits after the request is executed, lateMs before.`,
      handle({ body }) {
        faults.add(readJsonObject(body));
        return emptyResponse(204);
      },
    },
    'DELETE /sandbox/faults': {
      description: 'Removes all faults, with ?id= one of them.',
      handle({ query }) {
        const id = parseQuery(query).get('id');
        if (id === undefined) faults.clear();
        else if (!faults.remove(Number(id))) throw badRequestError(`There is no fault ${id}.`);
        return emptyResponse(204);
      },
    },
  };
}
