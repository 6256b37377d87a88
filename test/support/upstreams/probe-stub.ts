import { type Stub, type StubAnswer, type StubRequest, startStub } from '../stub.ts';

type Row = Record<string, unknown>;

export const probeCompany = '0c1d2e3f-0000-4000-8000-000000000001';

interface ProbeStubOptions {
  readonly rows?: readonly Row[];
  /** Columns that cannot be filtered and sorted by, and how the service says so. */
  readonly computed?: readonly string[];
  readonly refusal?: (column: string) => StubAnswer;
  /** Columns that it does not know. */
  readonly unknown?: readonly string[];
  readonly navigations?: readonly string[];
  readonly isFilterIgnored?: boolean;
  readonly isOrderIgnored?: boolean;
  /** Answers in the place of the service; undefined where it answers itself. */
  readonly intercept?: (request: StubRequest, call: number) => StubAnswer | Promise<StubAnswer> | undefined;
}

/** As Business Central words it (facts of area A: a computed column). */
export const dynamicsRefusal = (column: string): StubAnswer => ({
  status: 400,
  body: {
    error: {
      code: 'BadRequest',
      message: `The field '${column}' is not bound directly to a table field.  CorrelationId:  6e2f9f0c-9d1c-4f6e-8f0a-1d2f5b2f7a11.`,
    },
  },
});

/** As a service with another library does. */
export const plainRefusal = (column: string): StubAnswer => ({
  status: 501,
  body: { error: { code: '', message: `${column}: not supported in a query.` } },
});

const missing: StubAnswer = {
  status: 404,
  body: { error: { code: 'BadRequest_ResourceNotFound', message: 'Nothing here.' } },
};

/** A service with one company and one entity set, `resources`. It understands the conditions that a probe writes. */
export async function startProbeStub(options: ProbeStubOptions = {}): Promise<Stub> {
  const {
    rows = probeRows,
    computed = [],
    refusal = dynamicsRefusal,
    unknown = [],
    navigations = ['item'],
  } = options;
  let calls = 0;
  return startStub(async (request) => {
    calls += 1;
    const intercepted = await options.intercept?.(request, calls);
    if (intercepted) return intercepted;
    const { pathname, searchParams } = new URL(request.target, 'http://stub');
    if (pathname === '/api/v2.0/companies') return { body: { value: [{ id: probeCompany }] } };
    if (pathname === '/api/v2.0/$metadata')
      return { headers: { 'content-type': 'application/xml' }, body: '<edmx:Edmx/>' };
    if (pathname !== `/api/v2.0/companies(${probeCompany})/resources`) return missing;
    const get = (name: string) => searchParams.get(name) ?? '';
    const refused = [
      ...get('$filter').matchAll(/(\w+) (?:eq|ne|lt|gt) /g),
      ...get('$orderby').matchAll(/(\w+)/g),
    ]
      .map(([, column = '']) => column)
      .find((column) => computed.includes(column));
    if (refused) return refusal(refused);
    const absent = get('$select')
      .split(',')
      .find((column) => unknown.includes(column));
    if (absent) return refusal(absent);
    const expand = get('$expand');
    if (expand !== '' && !navigations.includes(expand)) return refusal(expand);
    const passing = options.isFilterIgnored ? rows : rows.filter((row) => passes(row, get('$filter')));
    const ordered =
      options.isOrderIgnored || !get('$orderby').endsWith(' desc') ? passing : [...passing].reverse();
    const top = Number(get('$top') || ordered.length);
    return {
      body: { value: ordered.slice(0, top).map((row) => ({ ...row, ...(expand && { [expand]: null }) })) },
    };
  });
}

function passes(row: Row, filter: string): boolean {
  if (filter === '') return true;
  return filter.split(' and ').every((term) => {
    const [, column = '', operator, literal = ''] = /^(\w+) (eq|ne|lt|gt) (.*)$/.exec(term) ?? [];
    const value = row[column];
    const other = literal === 'null' ? null : literal.replace(/^'|'$/g, '').replaceAll("''", "'");
    const isEqual = value === null || other === null ? value === other : String(value) === other;
    if (operator === 'eq') return isEqual;
    if (operator === 'ne') return !isEqual;
    const isLess = typeof value === 'number' ? value < Number(other) : String(value) < String(other);
    return operator === 'lt' ? isLess : !isLess && !isEqual;
  });
}

export const probeRows: readonly Row[] = [0, 1].map((index) => ({
  id: `aaaaaaaa-0000-4000-8000-00000000000${index}`,
  number: `R${index}`,
  displayName: "O'Neil & sons",
  type: 'Person',
  unitPrice: 12.5,
  blocked: false,
  itemId: '00000000-0000-0000-0000-000000000000',
  lastModifiedDateTime: '2026-01-02T03:04:05.67Z',
}));
