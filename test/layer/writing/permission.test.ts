import { describe, expect, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';

const companyId = '5d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e';
const id = '7d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e';
const refused = (message: string, code = 'Internal_ServerError') => ({
  error: { code, message: `${message}  CorrelationId:  7dc93223-e051-416e-b98d-f2fd053fd990.` },
});
// As services of two languages wrote it: the sentence differs, the brackets do not.
const english = refused(
  'Sorry, the current permissions prevented the action. (TableData 18 Customer Modify: Base Application)',
);
const danish = refused(
  'Handlingen blev forhindret af de gældende tilladelser. (TableData 18 Customer IndirectModify: Base Application)',
);
// Measured with the real service, version 28.
const page = refused(
  'Sorry, the current permissions prevented the action. (Page 30009 APIV2 - Customers Execute: _Exclude_APIV2_)',
);
const action = 'Sorry, the current permissions prevented the action.';
const older =
  "You do not have the following permissions on TableData Customer: Modify.\r\n\r\nTo view details about your permissions, see the Effective Permissions page. To report a problem, refer to the following server session ID: '121634'.";

const licensed =
  'Your license does not grant you the following permissions on TableData 17 G/L Entry: Delete. To view details about your permissions, see the Effective Permissions page.';

const read = `{ company { customer(id: "${id}") { id } } }`;
const writes = [
  ['POST', 'mutation { m: createCustomer(input: { displayName: "Brindle" }) { userErrors { code } } }'],
  [
    'PATCH',
    `mutation { m: updateCustomer(input: { id: "${id}", ifMatch: "*", patch: { city: "Oslo" } }) { userErrors { code } } }`,
  ],
  [
    'DELETE',
    `mutation { m: deleteCustomer(input: { id: "${id}", ifMatch: "*" }) { userErrors { code upstream { message } } } }`,
  ],
] as const;

describe.each(['document', 'dynamics'])('in the dialect %s', (BUSINESS_DIALECT) => {
  const askAll = async (status: number, body: object) => {
    const upstream = await startStub(() => ({ status, body }));
    const settings = { BUSINESS_COMPANY_ID: companyId, BUSINESS_DIALECT, UPSTREAM_ATTEMPTS: '3' };
    const layer = await startTestLayer(upstream.url, settings);
    const { errors = [] } = await layer.query(read);
    const told = [];
    for (const [, query] of writes) told.push((await layer.query(query)).data?.m.userErrors[0]);
    await layer.stop();
    upstream.stop();
    return { errors, told, calls: upstream.requests.map(({ method }) => method) };
  };
  const oneCallEach = ['GET', ...writes.map(([method]) => method)];

  test.each([
    [400, 'in English', english],
    [500, 'in English', english],
    [500, 'in Danish', danish],
    [400, 'by its code', refused('No.', 'Authorization_RequestDenied')],
    [403, 'by its status', english],
    [400, 'of a page', page],
    [500, 'of a page', page],
    [
      500,
      'of a codeunit',
      refused(`${action} (CodeUnit 6225608 Env. Cleanup (old) Execute: BaseApplication)`),
    ],
    [400, 'of the system', refused(`${action} (System 5330 Tools, Backup Execute: )`)],
    [
      500,
      'of a query, in Japanese',
      refused('操作は権限により許可されませんでした。(Query 20 Top Customers Execute: App)'),
    ],
    [400, 'without an app', refused(`${action} (TableData 79300 Data Main Insert)`)],
    [500, 'without a number', refused(`${action} (TableData AssetSOD Read: My Customizations)`)],
    [
      400,
      'as an error of the application',
      refused(`${action} (TableData 36 Sales Header Read: App)`, 'Application_DialogException'),
    ],
    [500, 'as an unknown error', refused(`${action} (TableData 36 Sales Header Read: App)`, 'Unknown')],
    [
      400,
      'with the code Unauthorized',
      refused(`${action} (Report 1306 Standard Sales Execute: App)`, 'Unauthorized'),
    ],
    [400, 'of the license', refused(licensed)],
    [500, 'of the license', refused(licensed, 'Application_DialogException')],
    [500, 'by an older server', refused(older)],
    [400, 'by an older server', refused(older)],
  ])(
    'a missing permission, answered %i %s, is FORBIDDEN for reads and NOT_ALLOWED for writes, with one call each',
    async (status, _how, body) => {
      const { errors, told, calls } = await askAll(status, body);

      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
      expect(JSON.stringify([errors, told])).not.toMatch(/TableData|Execute/);
      expect(told).toMatchObject(Array(3).fill({ code: 'NOT_ALLOWED' }));
      expect(calls).toEqual(oneCallEach);
    },
  );

  const quoted = 'Acme. (TableData 18 Customer Modify: Base Application)';
  test.each([
    [
      'a code of no permission',
      'Application_StringExceededLength',
      `${action} (TableData 18 Customer Read: App)`,
    ],
    ['behind a colon', 'Application_DialogException', `The text is too long. Value: ${quoted}`],
    ['in quotes', 'Application_DialogException', `There is a record named "${quoted}`],
    ['before the end', 'Internal_ServerError', `There is no vendor of the name ${quoted}, or no longer.`],
    ['of no operation', 'Internal_ServerError', 'The record is referenced. (TableData 18 is locked)'],
    ['of a table', 'Application_DialogException', 'The phone number is invalid. (Table 3 Read: note)'],
    ['of the older kind', 'Application_DialogException', `The name is taken: ${older}`],
  ])(
    'messages that resemble a missing permission, %s, are not taken for one',
    async (_where, code, message) => {
      const { errors, told } = await askAll(400, refused(message, code));

      expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_REJECTED' } }]);
      const isOfValue = code === 'Application_StringExceededLength';
      expect(told).toMatchObject(Array(3).fill({ code: isOfValue ? 'INVALID_INPUT' : 'REFUSED' }));
    },
  );

  test.each([
    ['Application_DialogException', 'REFUSED'],
    ['Application_FieldValidationException', 'CONFLICT'],
    ['BadRequest_InvalidOperation', 'INVALID_INPUT'],
    ['BadRequest', 'INVALID_INPUT'],
    ['Internal_InvalidTableRelation', 'INVALID_INPUT'],
    ['Internal_DataNotFoundFilter', 'INVALID_INPUT'],
    ['Internal_RecordNotFound', 'INVALID_INPUT'],
    ['Internal_CompanyNotFound', 'INVALID_INPUT'],
  ])(
    'a business rule (%s) answered 500 is a refusal (%s): it is reported once, and nothing is retried',
    async (code, userErrorCode) => {
      const { errors, told, calls } = await askAll(500, refused('The number must be filled in.', code));

      expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_REJECTED', upstreamError: { code } } }]);
      expect(told).toMatchObject(Array(3).fill({ code: userErrorCode }));
      // The record of a change or a delete is looked at beside what was refused.
      expect(calls.filter((method) => method !== 'GET')).toEqual(writes.map(([method]) => method));
    },
  );

  test('a duplicate key, answered 500, is ALREADY_EXISTS, and the create is sent once', async () => {
    const { told, calls } = await askAll(500, refused('It exists.', 'Internal_EntityWithSameKeyExists'));

    expect(told[0]).toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(calls.filter((method) => method === 'POST')).toEqual(['POST']);
  });

  test('any other failure stays a failure', async () => {
    const upstream = await startStub(() => ({
      status: 500,
      body: refused('An error occurred. (TableData)'),
    }));
    const layer = await startTestLayer(upstream.url, { BUSINESS_COMPANY_ID: companyId, BUSINESS_DIALECT });
    const { errors } = await layer.query(read);
    await layer.stop();
    upstream.stop();

    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  });
});
