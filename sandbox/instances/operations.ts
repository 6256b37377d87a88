import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { badRequestError } from '../api-error.ts';
import {
  type CheckedFields,
  type ControlRoutes,
  commandRoute,
  isCount,
  isJsonObject,
  isText,
  type JsonCheck,
} from '../json-checks.ts';
import { defaultBehaviour } from './behaviour.ts';
import { type InstanceOperation, type OperationAddress, statusPath } from './operation.ts';
import {
  type ComponentCounts,
  createFleet,
  createVirtualInstances,
  type VirtualInstance,
} from './virtual-instances.ts';

type NewOperation = Omit<InstanceOperation, 'startedAt' | 'address' | 'newAddress' | 'polls'>;

interface FoundOperation {
  readonly operation: InstanceOperation;
  readonly address: OperationAddress;
}

const defaultPageSize = 20;

/** The instances of area B and their operations. */
export type Operations = ReturnType<typeof createOperations>;

export function createOperations(stepMs: number, isDemo: boolean) {
  const byName = new Map<string, FoundOperation>();
  const virtualInstances = createVirtualInstances(isDemo);
  const [{ components }] = virtualInstances;

  function addressFor(operation: Pick<InstanceOperation, 'instance' | 'behaviour'>): OperationAddress {
    const id = randomUUID();
    const digest = createHash('sha256').update(id).digest('hex').toUpperCase();
    const address = { name: `${id}*${digest}`, query: signedQuery(operation.behaviour.apiVersion) };
    const { addressLength = 0 } = operation.behaviour;
    const missing = addressLength - statusPath(operation, address).length - address.query.length - 1;
    return missing < 3 ? address : { ...address, query: `${address.query}&h=${padding(missing - 3)}` };
  }

  function register(found: FoundOperation): void {
    byName.set(found.address.name.toLowerCase(), found);
  }

  return {
    /** Duration of a step. */
    stepMs,
    /** Rows in a page of a list. */
    pageSize: defaultPageSize,
    virtualInstances: virtualInstances as VirtualInstance[],
    /** The application server instances of the first virtual instance. */
    instances: components.applicationInstances,
    begin(newOperation: NewOperation): InstanceOperation {
      const operation = {
        ...newOperation,
        startedAt: Date.now(),
        address: addressFor(newOperation),
        polls: 0,
      };
      register({ operation, address: operation.address });
      return operation;
    },
    find: (name: string): FoundOperation | undefined => byName.get(name.toLowerCase()),
    /** Returns the address of an operation after its move. Repeated calls return the same address. */
    moveAddress(operation: InstanceOperation): OperationAddress {
      operation.newAddress ??= addressFor(operation);
      register({ operation, address: operation.newAddress });
      return operation.newAddress;
    },
  };
}

/** A query with a mixed encoding, which parsing and serializing would change. */
function signedQuery(apiVersion: string): string {
  const digest = randomBytes(24).toString('hex');
  return `api-version=${apiVersion}&t=${Date.now()}0000&c=MII%2fa~${digest}%2B!*%3d%3D`;
}

/** Characters that a query can contain plain or encoded. */
function padding(length: number): string {
  return "kR7*'!~(x)-_.Zb:".repeat(Math.ceil(length / 16)).slice(0, length);
}

const isName: JsonCheck<string> = (value): value is string => isText(value) && value !== '';
const isPositive: JsonCheck<number> = (value): value is number => isCount(value) && value !== 0;

const maxComponents = 10_000;
const isNumber: JsonCheck<number> = (value): value is number => isCount(value) && value <= maxComponents;

const systemChecks = {
  name: isName,
  group: isName,
  applicationInstances: isNumber,
  centralInstances: isNumber,
  databaseInstances: isNumber,
};

/** Control routes for instances and virtual instances. */
export function instanceRoutes(operations: Operations): ControlRoutes {
  return {
    'POST /sandbox/instances': commandRoute(
      'an instance',
      '{"name": "mine", "properties": {"health": "Degraded"}} creates or replaces an instance of the usual behaviour; properties are merged into its own. {"stepMs": 50} sets the duration of a step, {"pageSize": 3} the rows of a page.',
      { name: isName, properties: isJsonObject, stepMs: isCount, pageSize: isPositive },
      ({ name, properties, stepMs = operations.stepMs, pageSize = operations.pageSize }) => {
        const behaviour = { ...defaultBehaviour, ...(properties && { properties }) };
        if (name !== undefined) operations.instances.set(name, { name, behaviour });
        Object.assign(operations, { stepMs, pageSize });
      },
    ),
    'POST /sandbox/virtual-instances': commandRoute(
      'a virtual instance',
      '{"name": "F01", "group": "rg-fleet", "applicationInstances": 500} creates or replaces a virtual instance with app001 to app500, and with as many centralInstances and databaseInstances as given, else one.',
      systemChecks,
      (fields) => changeVirtualInstance(fields, operations),
    ),
  };
}

const usualCounts: ComponentCounts = { applicationInstances: 2, centralInstances: 1, databaseInstances: 1 };

function changeVirtualInstance(
  { name, group, ...counts }: CheckedFields<typeof systemChecks>,
  { virtualInstances }: Operations,
): void {
  if (name === undefined) throw badRequestError("A virtual instance requires a 'name'.");
  const index = virtualInstances.findIndex(
    (one) =>
      one.name.toLowerCase() === name.toLowerCase() &&
      (group === undefined || one.group === group.toLowerCase()),
  );
  const known = virtualInstances[index];
  const changed = createFleet(group ?? known?.group ?? 'rg-fleet', name, { ...usualCounts, ...counts });
  if (known) virtualInstances[index] = changed;
  else virtualInstances.push(changed);
}
