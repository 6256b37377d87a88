import { badRequestError } from '../api-error.ts';
import type { ControlRoutes } from '../control/control-routes.ts';
import { emptyResponse } from '../http.ts';
import { readJsonObject } from '../json-body.ts';
import { checkFields, isCount, isJsonObject, isText, type JsonCheck } from '../json-checks.ts';
import { defaultBehaviour } from './behaviour.ts';
import type { Operations } from './operations.ts';

const isPositive: JsonCheck = (value) => isCount(value) && value !== 0;

const checks: Readonly<Record<string, JsonCheck>> = {
  name: (value) => isText(value) && value !== '',
  properties: isJsonObject,
  stepMs: isCount,
  pageSize: isPositive,
};

/** Control routes for instances. */
export function instanceRoutes(operations: Operations): ControlRoutes {
  return {
    'POST /sandbox/instances': {
      description:
        '{"name": "mine", "properties": {"health": "Degraded"}} creates or replaces an instance of the usual behaviour; properties are merged into its own. {"stepMs": 50} sets the duration of a step, {"pageSize": 3} the rows of a page.',
      handle(request) {
        applyInstanceChange(readJsonObject(request.body), operations);
        return emptyResponse(204);
      },
    },
  };
}

function applyInstanceChange(json: Readonly<Record<string, unknown>>, operations: Operations): void {
  checkFields('an instance', json, checks);
  const { name, properties, stepMs, pageSize } = json as {
    readonly name?: string;
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly stepMs?: number;
    readonly pageSize?: number;
  };
  if (name !== undefined)
    operations.instances.set(name, {
      name,
      behaviour: { ...defaultBehaviour, ...(properties && { properties }) },
    });
  else if (properties !== undefined || (stepMs === undefined && pageSize === undefined))
    throw badRequestError("An instance requires a 'name'.");
  operations.stepMs = stepMs ?? operations.stepMs;
  operations.pageSize = pageSize ?? operations.pageSize;
}
