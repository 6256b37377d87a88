import { expect, test } from 'vitest';
import { businessErrorRules } from '../../../src/business/record-sets/error-rules.ts';
import { mapUpstreamError } from '../../../src/graph/user-errors.ts';
import { toUpstreamError } from '../../../src/http/errors.ts';

/** What an error response of area A means for a read, and for a write; null where a write is a GraphQL error, too. */
function meaningOf(status: number, code: string, message: string) {
  const body = {
    error: { code, message: `${message}  CorrelationId:  7dc93223-e051-416e-b98d-f2fd053fd990.` },
  };
  const failed = { upstream: 'business', status, headers: {}, body } as const;
  const error = toUpstreamError(failed, (text) => text, businessErrorRules);
  return [error.code, mapUpstreamError(error, '')?.code ?? null];
}

const server = 'Internal_ServerError';
const dialog = 'Application_DialogException';
const action = 'Sorry, the current permissions prevented the action.';
const older =
  "You do not have the following permissions on TableData Customer: Modify.\r\n\r\nTo view details about your permissions, see the Effective Permissions page. To report a problem, refer to the following server session ID: '121634'.";
const licensed =
  'Your license does not grant you the following permissions on TableData 17 G/L Entry: Delete. To view details about your permissions, see the Effective Permissions page.';

// As services of several languages and versions wrote it: the sentence differs, the brackets do not.
test.each([
  [400, server, `${action} (TableData 18 Customer Modify: Base Application)`],
  [500, server, 'Handlingen blev forhindret af de tilladelser. (TableData 18 Customer IndirectModify: App)'],
  // Measured with the real service, version 28.
  [500, server, `${action} (Page 30009 APIV2 - Customers Execute: _Exclude_APIV2_)`],
  [400, server, `${action} (TableData 79300 Data Main Insert)`],
  [400, dialog, `${action} (TableData 36 Sales Header Read: App)`],
  [500, dialog, licensed],
  [400, server, older],
  [400, 'Authorization_RequestDenied', 'No.'],
  [403, server, 'No.'],
] as const)('%d %s "%s" is a missing permission', (status, code, message) => {
  expect(meaningOf(status, code, message)).toEqual(['FORBIDDEN', 'NOT_ALLOWED']);
});

const quoted = 'Acme. (TableData 18 Customer Modify: Base Application)';
test.each([
  ['Application_StringExceededLength', `${action} (TableData 18 Customer Read: App)`, 'INVALID_INPUT'],
  [dialog, `The text is too long. Value: ${quoted}`, 'REFUSED'],
  [server, 'The record is referenced. (TableData 18 is locked)', 'REFUSED'],
  [dialog, 'The phone number is invalid. (Table 3 Read: note)', 'REFUSED'],
  [dialog, `The name is taken: ${older}`, 'REFUSED'],
] as const)('%s "%s" is not taken for a missing permission', (code, message, told) => {
  expect(meaningOf(400, code, message)).toEqual(['UPSTREAM_REJECTED', told]);
});

const locks = [
  'The operation could not complete because a record in the Sales Header table was locked by another user. Please retry the activity.',
  'The activity was deadlocked with another user who was modifying the Customer table. Please retry the activity.',
  "We can't save your changes right now, because a record in table 'Customer' is being updated in a transaction done by another session.\r\n\r\nPlease try again later.",
  'Sorry, we just updated this page. Reopen it, and try again.',
  'The changes to the Customer record cannot be saved because some information on the page is not up-to-date. Close the page.',
];
test.each(locks)('a lock, a deadlock or a newer record is known by its message: %s', (message) => {
  for (const status of [400, 409, 500])
    for (const code of [server, dialog])
      expect(meaningOf(status, code, message)).toEqual(['UPSTREAM_UNAVAILABLE', 'CONFLICT']);
});

type Row = readonly [status: number, code: string, message: string, read: string, write: string | null];
const german = 'Der Datensatz in der Tabelle Debitor wurde von einem anderen Benutzer gesperrt.';
const others: readonly Row[] = [
  [409, server, german, 'UPSTREAM_UNAVAILABLE', 'CONFLICT'],
  [400, server, german, 'UPSTREAM_REJECTED', 'REFUSED'],
  [500, server, german, 'UPSTREAM_UNAVAILABLE', 'OUTCOME_UNKNOWN'],
  [500, dialog, german, 'UPSTREAM_REJECTED', 'REFUSED'],
  [
    400,
    'Application_StringExceededLength',
    `The text is too long. Value: ${locks[0]}`,
    'UPSTREAM_REJECTED',
    'INVALID_INPUT',
  ],
  [409, 'RetryableErrorDueToAnotherOperation', german, 'UPSTREAM_UNAVAILABLE', 'CONFLICT'],
  ...[400, 409, 500, 503].map(
    (status): Row => [status, 'Application_TooManyRequests', german, 'UPSTREAM_THROTTLED', null],
  ),
  ...[400, 502, 503].map(
    (status): Row => [
      status,
      'Application_ServiceUnavailable',
      german,
      'UPSTREAM_UNAVAILABLE',
      'OUTCOME_UNKNOWN',
    ],
  ),
  [504, 'Internal_TenantUnavailable', german, 'UPSTREAM_UNAVAILABLE', 'OUTCOME_UNKNOWN'],
  // A business rule or a value: the transaction is rolled back, whatever the status is.
  [503, dialog, german, 'UPSTREAM_REJECTED', 'REFUSED'],
  [500, 'Application_FieldValidationException', german, 'UPSTREAM_REJECTED', 'CONFLICT'],
  [500, 'Request_EntityChanged', german, 'UPSTREAM_REJECTED', 'REFUSED'],
  [500, 'Internal_RecordNotFound', german, 'UPSTREAM_REJECTED', 'INVALID_INPUT'],
  [500, 'Internal_EntityWithSameKeyExists', german, 'UPSTREAM_REJECTED', 'ALREADY_EXISTS'],
  [409, 'Internal_EntityWithSameKeyExists', german, 'UPSTREAM_REJECTED', 'ALREADY_EXISTS'],
  [500, 'Its_Code', german, 'UPSTREAM_UNAVAILABLE', 'OUTCOME_UNKNOWN'],
  [400, 'Its_Code', german, 'UPSTREAM_REJECTED', 'REFUSED'],
  [409, 'Its_Code', german, 'UPSTREAM_REJECTED', 'CONFLICT'],
  [413, 'Its_Code', german, 'UPSTREAM_REJECTED', 'INVALID_INPUT'],
  [401, 'Its_Code', german, 'UNAUTHENTICATED', null],
];
test.for(others)('%d %s "%s" is %s for a read, %s for a write', ([status, code, message, read, write]) => {
  expect(meaningOf(status, code, message)).toEqual([read, write]);
});
