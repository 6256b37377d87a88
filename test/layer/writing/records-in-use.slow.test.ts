import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { type StubAnswer, type StubRequest, startStub } from '../../support/stub.ts';

const companyId = '5d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e';
const id = '7d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e';
const otherId = '8d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e';
const tag = 'W/"1"';

const refused = (status: number, message: string, code = 'Internal_ServerError'): StubAnswer => ({
  status,
  body: { error: { code, message: `${message}  CorrelationId:  7dc93223-e051-416e-b98d-f2fd053fd990.` } },
});
const texts = [
  'The operation could not complete because a record in the Sales Header table was locked by another user. Please retry the activity.',
  'The activity was deadlocked with another user who was modifying the Customer table. Please retry the activity.',
  'Your activity was deadlocked with another user who was modifying the Customer table. Start your activity again.',
  "We can't save your changes right now, because a record in table 'Customer' is being updated in a transaction done by another session.\r\n\r\nYou'll have to wait until the other transaction has completed, which may take a while. Please try again later.",
  'Sorry, we just updated this page. Reopen it, and try again.',
  'Another user has modified the record for this Customer after you retrieved it from the database.',
  'The changes to the Customer record cannot be saved because some information on the page is not up-to-date. Close the page, reopen it, and try again.',
  'The record in table Customer has been changed by another user. Start your activity again.',
] as const;
const [locked] = texts;

const read = `{ company { customer(id: "${id}") { id } } }`;
const change = `mutation { m: updateCustomer(input: { id: "${id}", ifMatch: ${JSON.stringify(tag)}, patch: { city: "Oslo" } }) {
  customer { id city } userErrors { code message upstream { message } } } }`;
const remove = `mutation { m: deleteCustomer(input: { id: "${id}", ifMatch: ${JSON.stringify(tag)} }) { userErrors { code message } } }`;
const create = `mutation { m: createCustomer(input: { displayName: "Brindle" }) { customer { id } userErrors { code message } } }`;
const changes = `mutation { m: batch(input: { entries: [
  { updateCustomer: { id: "${id}", ifMatch: "*", patch: { city: "Oslo" } } }
  { updateCustomer: { id: "${otherId}", ifMatch: "*", patch: { city: "Oslo" } } } ] }) {
  results { record { nodeId } userErrors { code } } } }`;

const record = (of = id, city = 'Rome', etag = tag) => ({ id: of, city, '@odata.etag': etag });

describe.each(['document', 'dynamics'])('in the dialect %s', (BUSINESS_DIALECT) => {
  const start = async (answer: (request: StubRequest) => StubAnswer) => {
    const upstream = await startStub(answer);
    const settings = { BUSINESS_COMPANY_ID: companyId, BUSINESS_DIALECT, UPSTREAM_ATTEMPTS: '3' };
    const layer = await startTestLayer(upstream.url, settings);
    onTestFinished(async () => {
      await layer.stop();
      upstream.stop();
    });
    const writes = () =>
      upstream.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
    return { layer, writes, requests: upstream.requests };
  };

  test.each(['Internal_ServerError', 'Application_DialogException'])(
    'a write that meets a lock, a deadlock or a newer record, reported with %s by any status, is sent once, and is CONFLICT',
    async (code) => {
      let answer: StubAnswer = {};
      const { layer, writes } = await start(({ method }) => (method === 'GET' ? { body: record() } : answer));
      for (const status of [400, 409, 500])
        for (const text of texts) {
          answer = refused(status, text, code);
          for (const query of [create, change, remove]) {
            const { data, errors } = await layer.query(query);
            expect(errors, text).toBeUndefined();
            expect(data.m.userErrors, text).toMatchObject([
              { code: 'CONFLICT', message: expect.stringMatching(/Nothing was changed; retry\.$/) },
            ]);
          }
        }
      expect(writes()).toEqual(
        Array(3 * texts.length)
          .fill(['POST', 'PATCH', 'DELETE'])
          .flat(),
      );
    },
  );

  test.each([400, 409, 500])(
    'a read that meets a lock, answered %i, is retried, and is UPSTREAM_UNAVAILABLE where the lock stays',
    async (status) => {
      let locks = 2;
      const { layer, requests } = await start(() =>
        locks-- > 0 ? refused(status, locked) : { body: record() },
      );
      const { data, errors } = await layer.query(read);
      expect(errors).toBeUndefined();
      expect(data.company.customer).toEqual({ id });
      expect(requests).toHaveLength(3);

      locks = 3;
      const stays = await layer.query(read);
      expect(stays.errors).toMatchObject([
        { extensions: { code: 'UPSTREAM_UNAVAILABLE', upstreamError: { code: 'Internal_ServerError' } } },
      ]);
      expect(requests).toHaveLength(6);
    },
  );

  test('a tag refused with the message for a newer record, and its code, is STALE_RECORD', async () => {
    const { layer } = await start(({ method }) =>
      method === 'GET'
        ? { body: record(id, 'Rome', 'W/"2"') }
        : refused(409, texts[5], 'Request_EntityChanged'),
    );

    expect((await layer.query(change)).data.m.userErrors).toMatchObject([{ code: 'STALE_RECORD' }]);
  });

  const german = 'Der Datensatz in der Tabelle Debitor wurde von einem anderen Benutzer gesperrt.';
  const released =
    "Status must be equal to 'Open'  in Sales Header: Document Type=Order, No.=S-ORD101001. Current value is 'Released'.";
  test.each([
    ['a lock in German', 409, 'Internal_ServerError', german, 'CONFLICT'],
    ['a text that is not understood', 400, 'Internal_ServerError', german, 'REFUSED'],
    ['a text that is not understood', 500, 'Application_DialogException', german, 'REFUSED'],
    ['a released order', 400, 'Application_FieldValidationException', released, 'CONFLICT'],
    ['a tenant', 400, 'Internal_TenantUnavailable', german, 'OUTCOME_UNKNOWN'],
    ['a service', 500, 'Application_ServiceUnavailable', german, 'OUTCOME_UNKNOWN'],
    ['a service', 503, 'Application_ServiceUnavailable', german, 'OUTCOME_UNKNOWN'],
  ])('a write refused because of %s (%i %s) is told by its code', async (_what, status, code, text, told) => {
    const { layer, writes } = await start(({ method }) =>
      method === 'GET' ? { body: record(id, 'Rome', 'W/"2"') } : refused(status, text, code),
    );
    const { data, errors } = await layer.query(change);

    expect(errors).toBeUndefined();
    expect(data.m.userErrors).toMatchObject([
      { code: told, upstream: { message: expect.stringContaining(text) } },
    ]);
    expect(writes()).toEqual(['PATCH']);
  });

  test.each([400, 500, 503])('throttling, answered %i, is sent again as a 429 is', async (status) => {
    const answers = [refused(status, german, 'Application_TooManyRequests')];
    const { layer, writes } = await start(() => answers.shift() ?? { body: record(id, 'Oslo') });

    expect((await layer.query(change)).data.m.userErrors).toEqual([]);
    expect(writes()).toEqual(['PATCH', 'PATCH']);
  });

  test('a value that quotes the message of a lock does not turn its refusal into one', async () => {
    const answer = refused(400, `The text is too long. Value: ${locked}`, 'Application_StringExceededLength');
    const { layer } = await start(({ method }) => (method === 'GET' ? { body: record() } : answer));

    expect((await layer.query(change)).data.m.userErrors).toMatchObject([{ code: 'INVALID_INPUT' }]);
  });

  // The lock may be that of the sending that was lost, which may yet be carried out.
  test.each([
    ['change', change, 'PATCH'],
    ['delete', remove, 'DELETE'],
    ['create', create, 'POST'],
  ])(
    'a %s that meets a lock after a lost attempt is retried until a response arrives',
    async (_what, query, sent) => {
      const answers: StubAnswer[] = [];
      const { layer, writes } = await start(({ method, body }) => {
        if (method !== 'GET')
          return (
            answers.shift() ??
            (method === 'DELETE' ? { status: 204 } : { body: record(JSON.parse(body).id ?? id, 'Oslo') })
          );
        return query === create
          ? refused(404, 'It does not exist.', 'Internal_RecordNotFound')
          : { body: record() };
      });
      // Shows that the upstream keeps ids.
      const proven = query === create ? [(await layer.query(create)).data.m.userErrors] : [];
      answers.push({ status: 503 }, refused(500, locked), refused(409, locked));
      const { data, errors } = await layer.query(query);

      expect(errors).toBeUndefined();
      expect(data.m.userErrors).toEqual([]);
      expect(writes()).toEqual(Array(proven.length + 4).fill(sent));
    },
  );

  test('of many writes one that meets a lock is CONFLICT, and the others succeed, in a batch or one by one', async () => {
    let hasBatches = true;
    const inUse = refused(409, locked);
    const { layer, writes } = await start(({ method, target, body }) => {
      if (method === 'GET') return { body: record(target.includes(otherId) ? otherId : id) };
      if (!target.endsWith('/$batch'))
        return target.includes(otherId) ? { body: record(otherId, 'Oslo') } : inUse;
      if (!hasBatches) return { status: 405 };
      const [first, second] = JSON.parse(body).requests;
      return {
        body: {
          responses: [
            { id: first.id, status: inUse.status, body: inUse.body },
            { id: second.id, status: 200, body: record(otherId, 'Oslo') },
          ],
        },
      };
    });
    const codes = async () =>
      (await layer.query(changes)).data.m.results.map(
        ({ userErrors }: { userErrors: { code: string }[] }) => userErrors[0]?.code ?? null,
      );

    expect(await codes()).toEqual(['CONFLICT', null]);
    hasBatches = false;
    expect(await codes()).toEqual(['CONFLICT', null]);
    expect(writes()).toEqual(['POST', 'POST', 'PATCH', 'PATCH']);
  });
});
