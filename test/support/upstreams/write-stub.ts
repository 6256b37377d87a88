import { randomUUID } from 'node:crypto';
import { type Stub, type StubAnswer, type StubRequest, startStub } from '../stub.ts';
import { probeCompany } from './probe-stub.ts';

type Row = Record<string, unknown>;

interface WriteStubOptions {
  /** Without these a create is refused. */
  readonly required?: readonly string[];
  /** These are refused, in a create or an update. */
  readonly readOnly?: readonly string[];
  /** These are taken, and dropped without a word. */
  readonly dropped?: readonly string[];
  /** Only updates take these. */
  readonly onlyUpdated?: readonly string[];
  /** Creates drop everything without a word. */
  readonly droppedByCreates?: boolean;
  /** What a new record has without being given it. */
  readonly defaults?: Row;
  /** Updates are answered without the record. */
  readonly isSilent?: boolean;
  readonly intercept?: (request: StubRequest) => StubAnswer | undefined;
}

export interface WriteStub extends Stub {
  readonly records: ReadonlyMap<string, Row>;
}

const refuse = (message: string): StubAnswer => ({
  status: 400,
  body: { error: { code: 'Application_DialogException', message } },
});

/** A service whose entity set `resources` can be written. */
export async function startWriteStub(options: WriteStubOptions = {}): Promise<WriteStub> {
  const { required = [], readOnly = [], dropped = [], onlyUpdated = [] } = options;
  const records = new Map<string, Row>();
  const taken = (values: Row) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !dropped.includes(name)));
  const stub = await startStub((request) => {
    const intercepted = options.intercept?.(request);
    if (intercepted) return intercepted;
    const path = new URL(request.target, 'http://stub').pathname;
    const base = `/api/v2.0/companies(${probeCompany})/resources`;
    if (!path.startsWith(base)) return { status: 404 };
    const id = path.slice(base.length + 1, -1);
    const record = records.get(id);
    const values = request.body === '' ? {} : (JSON.parse(request.body) as Row);
    const wrong = Object.keys(values).find((name) => readOnly.includes(name));
    if (wrong) return refuse(`The control '${wrong}' is read-only.`);
    if (request.method === 'POST') {
      const absent = required.find((name) => !Object.hasOwn(values, name));
      if (absent) return refuse(`A "${absent}" must be provided.`);
      if (Object.keys(values).some((name) => onlyUpdated.includes(name))) return refuse('Not during insert.');
      const made = {
        id: randomUUID(),
        number: 'R1',
        displayName: '',
        ...options.defaults,
        ...(options.droppedByCreates ? {} : taken(values)),
      };
      records.set(made.id, made);
      return { status: 201, body: made };
    }
    if (!record) return { status: 404 };
    if (request.method === 'DELETE') {
      records.delete(id);
      return { status: 204 };
    }
    if (request.method === 'PATCH') {
      records.set(id, { ...record, ...taken(values) });
      if (options.isSilent) return { status: 204 };
    }
    return { body: records.get(id) };
  });
  return { ...stub, records };
}
