import { readJsonObject } from './business/field-values.ts';
import type { Store } from './business/store.ts';
import type { Faults } from './faults.ts';
import { faultFields } from './faults.ts';
import { eventControls } from './health/event-control.ts';
import { eventNotes, oddEventNotes } from './health/events.ts';
import type { Answer, Call } from './http.ts';
import { empty, json } from './http.ts';
import { instanceControls } from './instances/instance-control.ts';
import { instanceNotes, place } from './instances/instances.ts';
import type { Operations } from './instances/operations.ts';
import type { Journal } from './journal.ts';
import { badRequest, Refusal } from './refusal.ts';
import { people } from './tokens/consent.ts';
import { signInAddresses } from './tokens/sign-in.ts';

/** What `/sandbox/*` steers. */
interface Controls {
  readonly journal: Journal;
  readonly faults: Faults;
  readonly store: Store;
  /** Instances and health events. */
  readonly operations: Operations;
  /** Freezes what plain reads of area A see, or lets them see every write again. */
  setLagging(isLagging: boolean): void;
  /** Puts everything back as it was at the start. */
  reset(): void;
}

/** Further addresses below `/sandbox`, by method and path, as `POST /sandbox/chaos`. */
export type ControlAddresses = Readonly<Record<string, ControlAddress>>;

interface ControlAddress {
  /** What the index says of it. */
  readonly about: string;
  /** Throws a `Refusal` that names the mistake of a caller. */
  answer(call: Call): Answer;
}

const addresses: Readonly<Record<string, string>> = {
  'GET /sandbox': 'this index',
  'GET /sandbox/journal': 'the requests so far',
  'DELETE /sandbox/journal': 'forget them',
  'POST /sandbox/reset': 'put everything back as it was at the start',
  'POST /sandbox/faults': `disturb the next requests that match: ${faultFields.join(', ')}; delayMs is between carrying out and answering, lateMs before both`,
  'DELETE /sandbox/faults': 'stop disturbing',
  'POST /sandbox/replica':
    '{"isLagging": true} freezes what reads of records see, save those with Data-Access-Intent: ReadWrite',
  ...signInAddresses,
};

/** True for the addresses outside the contract. */
export function isControlPath(path: string): boolean {
  return path === '/sandbox' || path.startsWith('/sandbox/');
}

/** Answers `/sandbox/*`, to this machine only; whoever can reach it can change everything. */
export function answerControl(
  call: Call,
  remoteAddress: string | undefined,
  controls: Controls,
  others: ControlAddresses = {},
): Answer {
  const { operations } = controls;
  const further = operations
    ? { ...others, ...instanceControls(operations), ...eventControls(operations.events) }
    : others;
  try {
    if (!isLoopback(remoteAddress))
      throw new Refusal(403, 'Forbidden', 'Only this machine may steer the sandbox.');
    return further[`${call.method} ${call.path}`]?.answer(call) ?? steer(call, controls, further);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, code, message } = error;
    return json(status, { error: { code, message }, available: available(further) });
  }
}

function steer(call: Call, controls: Controls, further: ControlAddresses): Answer {
  switch (`${call.method} ${call.path}`) {
    case 'GET /sandbox':
      return json(200, index(controls.store, further));
    case 'GET /sandbox/journal':
      return json(200, { requests: controls.journal.list() });
    case 'DELETE /sandbox/journal':
      controls.journal.clear();
      return empty(204);
    case 'POST /sandbox/reset':
      controls.reset();
      return empty(204);
    case 'POST /sandbox/faults':
      controls.faults.add(readJsonObject(call.body));
      return empty(204);
    case 'DELETE /sandbox/faults':
      controls.faults.clear();
      return empty(204);
    case 'POST /sandbox/replica':
      controls.setLagging(readLag(readJsonObject(call.body)));
      return empty(204);
    default:
      throw new Refusal(404, 'NotFound', `There is no ${call.method} ${call.path}.`);
  }
}

function readLag({ isLagging, ...rest }: Record<string, unknown>): boolean {
  if (typeof isLagging === 'boolean' && Object.keys(rest).length === 0) return isLagging;
  throw badRequest('The body must be {"isLagging": true} or {"isLagging": false}.');
}

function available(further: ControlAddresses): Record<string, string> {
  const more = Object.entries(further).map(([address, { about }]) => [address, about]);
  return { ...addresses, ...Object.fromEntries(more) };
}

function index(store: Store, further: ControlAddresses): Record<string, unknown> {
  return {
    available: available(further),
    companies: [...store.companies.values()].map(({ record }) => ({
      id: record.values.id,
      name: record.values.name,
    })),
    instances: { ...place, names: Object.keys(instanceNotes), notes: instanceNotes },
    events: Object.keys(eventNotes),
    eventNotes: { ...eventNotes, ...oddEventNotes },
    oddEvents: Object.keys(oddEventNotes),
    tokens:
      'Any bearer token will do; one that starts with expired, denied, reader or limited may do less. clerk~2 is clerk with a renewed token.',
    people,
  };
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.|^::1$/.test(address);
}
