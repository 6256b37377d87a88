import type { FieldKind, RecordSet } from '../../../src/business/record-sets/record-set.ts';
import { type Stub, type StubAnswer, startStub } from '../stub.ts';

type Row = Readonly<Record<string, unknown>>;

const values = {
  text: 'a text',
  code: 'A CODE',
  word: 'A word',
  wordOrBlank: 'Another word',
  uuid: '3f0b2a64-5b8e-4a44-9d5e-0f4f3f9b6c11',
  date: '2026-01-31',
  dateTime: '2026-01-31T12:00:00Z',
  decimal: 1.5,
  int: 7,
  safeInt: 77,
  boolean: true,
  object: { part: 'of it' },
} as const satisfies Record<FieldKind, unknown>;

/**
 * An upstream with one record in each of these entity sets, which has a value in every column. Whatever is asked of a
 * set, it answers with that record: but for a column that the set does not have, which no service would answer.
 */
export function startSingleRecordUpstream(sets: readonly RecordSet[]): Promise<Stub> {
  const rows = new Map(sets.map((set) => [`${set.route}/${decodeURIComponent(set.entitySet)}`, toRow(set)]));

  function answer(target: string): StubAnswer {
    const { pathname, searchParams } = new URL(target, 'http://upstream.test');
    const company = /^\/api\/v2\.0\/companies\(([^)]*)\)$/.exec(pathname)?.[1];
    if (company !== undefined) return { body: { id: company, name: 'A company' } };
    const [, route = '', segment = ''] = /^\/api\/(.+?)\/companies\([^)]*\)\/(.*)$/.exec(pathname) ?? [];
    const [set = '', predicate] = decodeURIComponent(segment).split('(');
    const row = rows.get(`${route}/${set}`);
    if (!row) return refuse(404, `There is no ${route}/${set}.`);
    const wanted = searchParams.get('$select')?.split(',') ?? Object.keys(row);
    const unknown = wanted.find((column) => !Object.hasOwn(row, column));
    if (unknown !== undefined) return refuse(400, `${set} has no column ${unknown}.`);
    const shown = {
      '@odata.etag': 'W/"1"',
      ...Object.fromEntries(wanted.map((column) => [column, row[column]])),
    };
    return { body: predicate === undefined ? { value: [shown] } : shown };
  }

  return startStub(({ target, body }) => {
    if (!target.endsWith('/$batch')) return answer(target);
    const { requests } = JSON.parse(body) as { requests: readonly { id: string; url: string }[] };
    return {
      body: {
        responses: requests.map(({ id, url }) => {
          const { status = 200, body: part } = answer(target.replace('$batch', url));
          return { id, status, headers: {}, body: part };
        }),
      },
    };
  });
}

const refuse = (status: number, message: string): StubAnswer => ({
  status,
  body: { error: { code: 'BadRequest', message } },
});

const toRow = ({ fields, columnNames = {} }: RecordSet): Row =>
  Object.fromEntries(Object.entries(fields).map(([name, kind]) => [columnNames[name] ?? name, values[kind]]));
