import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startBeforeStub } from '../../support/layer.ts';
import type { StubAnswer, StubRequest } from '../../support/stub.ts';

const companyId = '5d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e';
const id = '7d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e';
const etag = 'W/"JzQ0O1RhZzE7Jw=="';
const of = (code: string, message: string) => ({ error: { code, message } });
const correlated = (text: string) => `${text}  CorrelationId:  7dc93223-e051-416e-b98d-f2fd053fd990.`;

const recordNotFound = of('Internal_RecordNotFound', correlated('The record was not found.'));
const segmentNotFound = of(
  'BadRequest_ResourceNotFound',
  correlated("Resource not found for the segment 'customers'."),
);
const routeGone = of(
  'BadRequest_NotFound',
  correlated("No HTTP resource was found that matches the request URI '…'."),
);
const proxyPage =
  '<html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1><hr>nginx</body></html>';

const isSet = ({ target }: StubRequest) => /\/customers(\?|$)/.test(target);
const set: StubAnswer = { body: { value: [{ '@odata.etag': etag, id: companyId }] } };
const customer = `query { company { customer(id: "${id}") { id } } }`;
const update = `mutation { updateCustomer(input: { id: "${id}", ifMatch: "*", patch: { city: "Oslo" } }) { customer { id } userErrors { code } } }`;
const remove = `mutation { deleteCustomer(input: { id: "${id}", ifMatch: "*" }) { userErrors { code } } }`;

describe.each(['document', 'dynamics'])('in the dialect %s', (BUSINESS_DIALECT) => {
  const ask = async (query: string, answer: (request: StubRequest) => StubAnswer) => {
    const { stub, layer } = await startBeforeStub(answer, {
      BUSINESS_COMPANY_ID: companyId,
      BUSINESS_DIALECT,
      UPSTREAM_ATTEMPTS: '3',
    });
    const { data, errors = [] } = await layer.query(query);
    const calls = stub.requests.map(
      ({ method, target }) =>
        `${method} ${/\)$|\)\?/.test(target) && !target.includes('$top') ? 'record' : 'set'}`,
    );
    return {
      data,
      errors,
      calls,
      codes: errors.map(({ extensions }: (typeof errors)[number]) => extensions.code),
    };
  };

  test('a record that the upstream reports as missing is null, with one call', async () => {
    const { data, codes, calls } = await ask(customer, () => ({ status: 404, body: recordNotFound }));

    expect([data, codes, calls]).toEqual([{ company: { customer: null } }, [], ['GET record']]);
  });

  test('where the error code is that for unknown segments, the record is null once its set responds', async () => {
    const { data, codes, calls } = await ask(customer, (request) =>
      isSet(request) ? set : { status: 404, body: segmentNotFound },
    );

    expect([data, codes, calls]).toEqual([{ company: { customer: null } }, [], ['GET record', 'GET set']]);
  });

  test('and where its set does not respond, it is UPSTREAM_NOT_FOUND', async () => {
    const { data, codes, calls } = await ask(customer, () => ({ status: 404, body: segmentNotFound }));

    expect([data, codes, calls]).toEqual([
      { company: { customer: null } },
      ['UPSTREAM_NOT_FOUND'],
      ['GET record', 'GET set'],
    ]);
  });

  test.each([
    ['lists the record', { value: [{ id: id.toUpperCase() }] }],
    ['answers with something else than a list', { ok: true }],
  ])(
    'and where its set %s, it is UPSTREAM_BAD_RESPONSE, of a lost delete OUTCOME_UNKNOWN',
    async (_what, body) => {
      const answer = (request: StubRequest) =>
        isSet(request)
          ? { body }
          : request.method === 'DELETE'
            ? { status: 502 }
            : { status: 404, body: segmentNotFound };
      // No pauses between the looks.
      const random = vi.spyOn(Math, 'random').mockReturnValue(0);
      onTestFinished(() => random.mockRestore());
      const read = await ask(customer, answer);
      const removed = await ask(remove, answer);

      expect([read.data, read.codes]).toEqual([{ company: { customer: null } }, ['UPSTREAM_BAD_RESPONSE']]);
      expect(removed.data.deleteCustomer.userErrors).toEqual([{ code: 'OUTCOME_UNKNOWN' }]);
      expect(removed.calls).toEqual(['DELETE record', 'GET record', ...Array(11).fill('GET set')]);
    },
  );

  test('a read by id that returns another record is UPSTREAM_BAD_RESPONSE', async () => {
    const { data, codes } = await ask(customer, () => ({ body: { '@odata.etag': etag, id: companyId } }));

    expect([data, codes]).toEqual([{ company: { customer: null } }, ['UPSTREAM_BAD_RESPONSE']]);
  });

  test.each([
    ['that the upstream says is not there', { status: 404, body: recordNotFound }, 'UPSTREAM_REJECTED'],
    ['answered with rows nobody asked for', { body: { value: [{ id: etag }] } }, 'UPSTREAM_BAD_RESPONSE'],
  ])('references to a set %s fail, and are not null', async (_what, answer, code) => {
    const orders = [id, companyId].map((customerId) => ({ '@odata.etag': etag, id: customerId, customerId }));
    const { codes } = await ask(
      '{ company { salesOrders(first: 2) { nodes { customer { displayName } } } } }',
      ({ target }) => (target.includes('/salesOrders') ? { body: { value: orders } } : answer),
    );

    expect(codes).toEqual([code, code]);
  });

  test.each([
    ['a route that is gone', routeGone, 'BadRequest_NotFound', /^No HTTP resource was found/],
    ['a page of a proxy, in HTML', proxyPage, undefined, null],
  ])(
    '404 with %s is UPSTREAM_NOT_FOUND with its message in JSON, after three reads or one write',
    async (_what, body, code, message) => {
      const gone = () => ({ status: 404, body });
      const read = await ask(customer, gone);
      const changed = await ask(update, gone);
      const removed = await ask(remove, gone);

      expect([read.codes, read.calls]).toEqual([['UPSTREAM_NOT_FOUND'], Array(3).fill('GET record')]);
      expect([changed.codes, changed.calls]).toEqual([['UPSTREAM_NOT_FOUND'], ['PATCH record']]);
      expect([removed.codes, removed.calls]).toEqual([['UPSTREAM_NOT_FOUND'], ['DELETE record']]);
      for (const { errors } of [read, changed, removed]) {
        const told = errors[0]?.extensions.upstreamError as { code: unknown; message: unknown } | undefined;
        expect(told?.code).toBe(code);
        if (message) expect(told?.message).toMatch(message);
      }
    },
  );

  test.each([
    ['a change', update, 'PATCH record'],
    ['a delete', remove, 'DELETE record'],
  ])('%s of a record that does not exist is NOT_FOUND, once its set responds', async (_what, query, call) => {
    const { data, calls } = await ask(query, (request) =>
      isSet(request) ? set : { status: 404, body: segmentNotFound },
    );

    expect(Object.values(data)).toMatchObject([{ userErrors: [{ code: 'NOT_FOUND' }] }]);
    expect(calls).toEqual([call, 'GET set']);
  });
});
