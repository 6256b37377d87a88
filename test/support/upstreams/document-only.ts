import { type StubAnswer, type StubRequest, startStub } from '../stub.ts';

const companyId = '11111111-1111-4111-8111-111111111111';
const customerId = '22222222-2222-4222-8222-222222222222';
const itemId = '33333333-3333-4333-8333-333333333333';
const orderId = '44444444-4444-4444-8444-444444444444';

export const documentIds = { companyId, customerId, itemId, orderId };

const line = { lineType: 'Item', lineNo: 10_000, itemNo: 'D-100', quantity: 3, unitOfMeasureCode: 'PCS' };
const customer = { id: customerId, number: 'C1', displayName: 'Aller & Co', blocked: ' ', city: 'Oslo' };
const item = {
  id: itemId,
  number: 'D-100',
  displayName: 'Desk',
  itemCategoryCode: 'TABLE',
  baseUnitOfMeasureCode: 'PCS',
};
const order = { id: orderId, number: 'S1', status: 'Draft', customerId, documentLines: [line] };
const itemV1 = {
  id: itemId,
  number: 'D-100',
  displayName: 'Desk',
  baseUnitOfMeasure: { unitCode: 'PCS', unitName: 'Piece', symbol: '', unitConversion: null },
  itemCategory: { categoryId: 'TABLE', description: 'Tables' },
};

type Record = Readonly<{ [name: string]: unknown }>;

const records: Readonly<{ [path: string]: Record }> = {
  [`v2.0/customers(${customerId})`]: customer,
  [`v2.0/items(${itemId})`]: item,
  [`v1.0/items(${itemId})`]: itemV1,
  [`v2.0/salesOrders(${orderId})`]: order,
};

/**
 * A server that knows the source document and nothing beside it: the documented fields alone, refusing all
 * others, the entity tag as a header, 412 for a stale one, a relative status address, flat errors in area C.
 */
export const startDocumentOnly = () => {
  const state = { etag: '"1"', stops: 0 };
  return startStub((request) => answer(request, state));
};

function answer(
  { method, target, headers, body }: StubRequest,
  state: { etag: string; stops: number },
): StubAnswer {
  if (target.includes('/stop?'))
    return { status: 202, headers: { 'Vendor-AsyncOperation': 'operations/7?a=%2f&b=*' } };
  if (target === '/operations/7?a=%2f&b=*') return { body: { status: 'Succeeded', percentComplete: 100 } };
  if (target.includes('/events/'))
    return { status: 404, body: { code: 'NotFound', message: 'No.', details: '' } };

  const url = new URL(target, 'http://document.example');
  const [, version = '', path = ''] = /^\/api\/(v\d\.0)\/companies\([^)]*\)\/(.*)$/.exec(url.pathname) ?? [];
  const one = records[`${version}/${path}`];
  if (method === 'PATCH') {
    if (headers['if-match'] !== state.etag) return { status: 412 };
    state.etag = `"${Number(state.etag.slice(1, -1)) + 1}"`;
    return { headers: { etag: state.etag }, body: { ...one, ...JSON.parse(body) } };
  }
  if (one) return chosen(one, url, (record) => ({ headers: { etag: state.etag }, body: record }));
  const all = Object.entries(records).filter(([name]) => name.startsWith(`${version}/${path}(`));
  return chosen(all[0]?.[1] ?? {}, url, (record) => ({ body: { value: [record] } }));
}

function chosen(
  record: Record,
  { searchParams }: URL,
  answerWith: (record: Record) => StubAnswer,
): StubAnswer {
  const expand = searchParams.get('$expand');
  const [, expanded] = expand ? (/^salesOrderLines(?:\(\$select=(.*)\))?$/.exec(expand) ?? []) : [];
  const wanted = [...(searchParams.get('$select')?.split(',') ?? Object.keys(record))];
  const unknown = [
    ...wanted.filter((name) => !(name in record)),
    ...(expanded?.split(',').filter((name) => !(name in line)) ?? []),
  ];
  if (unknown.length > 0)
    return { status: 400, body: { error: { code: 'BadRequest', message: `unknown: ${unknown}` } } };
  const picked = Object.fromEntries(wanted.map((name) => [name, record[name]]));
  return answerWith(expand ? { ...picked, salesOrderLines: [line] } : picked);
}
