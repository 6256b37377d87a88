import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Instances } from './instances.ts';
import type { InstanceOperation, OperationAddress } from './operation.ts';
import { statusPath } from './operation.ts';
import { createVirtualInstances, type VirtualInstance } from './virtual-instances.ts';

type NewOperation = Omit<InstanceOperation, 'startedAt' | 'address' | 'newAddress' | 'polls'>;

interface FoundOperation {
  readonly operation: InstanceOperation;
  readonly address: OperationAddress;
}

const defaultPageSize = 20;

/** The instances of area B and their operations. */
export interface Operations {
  /** Duration of a step. */
  stepMs: number;
  /** Rows in a page of a list. */
  pageSize: number;
  readonly virtualInstances: VirtualInstance[];
  /** The application server instances of the first virtual instance. */
  readonly instances: Instances;
  begin(begun: NewOperation): InstanceOperation;
  find(name: string): FoundOperation | undefined;
  /** Returns the address of an operation after its move. Repeated calls return the same address. */
  moveAddress(operation: InstanceOperation): OperationAddress;
}

export function createOperations(stepMs: number): Operations {
  const byName = new Map<string, FoundOperation>();
  const virtualInstances = createVirtualInstances();
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
    stepMs,
    pageSize: defaultPageSize,
    virtualInstances,
    instances: components.applicationInstances,
    begin(newOperation) {
      const operation = {
        ...newOperation,
        startedAt: Date.now(),
        address: addressFor(newOperation),
        polls: 0,
      };
      register({ operation, address: operation.address });
      return operation;
    },
    find: (name) => byName.get(name.toLowerCase()),
    moveAddress(operation) {
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
