import { expect, test } from 'vitest';
import { rejectedOutcome, staleRecordError, toUserError } from '../../../../src/business/writing/outcomes.ts';
import type { Evidence } from '../../../../src/business/writing/settlement.ts';
import { settleTransaction, type TransactionEntry } from '../../../../src/business/writing/transactions.ts';
import { type ErrorCode, UpstreamError } from '../../../../src/errors.ts';
import type { CallResult } from '../../../../src/odata/batch.ts';

const failure = (code: ErrorCode, delivery: 'unknown' | 'rejected', status: number, own?: string) =>
  new UpstreamError(code, 'No.', {
    upstream: 'business',
    delivery,
    status,
    detail: own ? { code: own, message: 'No.', target: null, details: [], additionalInfo: [] } : null,
  });
const lost = failure('UPSTREAM_UNAVAILABLE', 'unknown', 503);
const stale = failure('UPSTREAM_REJECTED', 'rejected', 412);
const refused = failure('UPSTREAM_REJECTED', 'rejected', 400, 'Application_DialogException');
const taken = failure('UPSTREAM_REJECTED', 'rejected', 400, 'Internal_EntityWithSameKeyExists');
const absent = failure('UPSTREAM_REJECTED', 'rejected', 404, 'Internal_RecordNotFound');
const throttled = failure('UPSTREAM_THROTTLED', 'rejected', 429);
const done: CallResult = { status: 204, headers: {}, body: null, bytes: null, redact: (text) => text };

const record = { companyId: 'c', id: 'a', etag: '2' };

/** What the record of an entry shows: an evidence, `deleted`, `shared` with another entry, `mute` without an id, `same` values. */
type Shows = Evidence['shows'] | 'deleted' | 'shared' | 'mute' | 'same';

/** Settles a transaction of entries that show this. Each is told by its code; `read` has the entries whose records were read. */
async function run(shows: readonly Shows[], attempts: readonly (CallResult | null)[]) {
  const read: number[] = [];
  const entries = shows.map((what, index): TransactionEntry => {
    const evidence: Evidence =
      what === 'deleted'
        ? { shows: 'matches', record: null }
        : { shows: what === 'shared' || what === 'mute' || what === 'same' ? 'nothing' : what, record };
    const unused = () => Promise.reject(new Error('It is not sent again.'));
    return {
      path: ['entries', String(index)],
      isShared: what === 'shared',
      part: { root: '/api', method: 'PATCH', url: '', headers: {} },
      canShowOutcome: what !== 'mute',
      checkAdvice: '',
      maxLost: 0,
      mayResend: () => false,
      parse: (answer) => (answer instanceof UpstreamError ? answer : null),
      complete: async () => ({ record, userErrors: [] }),
      // A record that already has the values is told as written.
      decideRejected: async (refusal) =>
        what === 'same'
          ? { record, userErrors: [] }
          : rejectedOutcome(refusal === stale ? staleRecordError(refusal, []) : toUserError(refusal, '')),
      async readEvidence() {
        read.push(index);
        return evidence;
      },
      pause: async () => false,
      sendAgain: unused,
    };
  });
  const told = await settleTransaction(entries, attempts).then(
    (outcomes) => outcomes.map(({ userErrors }) => userErrors[0]?.code ?? ''),
    (error: UpstreamError) => error.code,
  );
  return { told: String(told), read: read.join('') };
}

const unknown = 'OUTCOME_UNKNOWN';
const twice = `${unknown},${unknown}`;

test.each<[string, Shows[], (CallResult | null)[], string, string]>([
  ['every part succeeded', ['applied', 'applied'], [done, done], ',', ''],
  // Without a response to one part the records decide for all.
  ['one was not answered, all show it', ['matches', 'deleted'], [done, null], ',', '01'],
  [
    'one was lost, one proves it',
    ['applied', 'matches', 'nothing'],
    [lost, null, null],
    `,,${unknown}`,
    '012',
  ],
  [
    'one was lost, its new record proves it',
    ['appliedByThisCall', 'nothing'],
    [lost, done],
    `,${unknown}`,
    '01',
  ],
  ['one was lost, nothing proves it', ['matches', 'nothing'], [lost, done], twice, '01'],
  ['one was lost, one contradicts', ['applied', 'notApplied'], [lost, done], twice, '01'],
  ['one was lost, two share a record', ['applied', 'shared'], [lost, null], `,${unknown}`, '0'],
  // Refused: nothing was carried out, unless a record shows that it was.
  ['one was refused at each delivery', ['applied', 'notApplied'], [refused, null], 'REFUSED,CONFLICT', ''],
  ['one was stale', ['notApplied', 'nothing'], [done, stale], 'CONFLICT,STALE_RECORD', '0'],
  ['one was stale, another is made', ['applied', 'nothing'], [done, stale], twice, '0101'],
  ['one was stale, the new record is there', ['appliedByThisCall', 'matches'], [done, stale], ',', '001'],
  ['one was stale, a delete is done', ['deleted', 'nothing'], [done, stale], twice, '0101'],
  [
    'a delete was refused, and its record is gone',
    ['deleted', 'nothing'],
    [absent, null],
    'NOT_FOUND,CONFLICT',
    '10',
  ],
  ['one was refused after a success', ['applied', 'nothing'], [done, refused], twice, '0101'],
  [
    'three records are read at most',
    ['nothing', 'nothing', 'nothing', 'applied'],
    [done, done, done, stale],
    'CONFLICT,CONFLICT,CONFLICT,STALE_RECORD',
    '012',
  ],
  [
    'those without an id and shared are not read',
    ['mute', 'shared', 'nothing'],
    [done, done, stale],
    'CONFLICT,CONFLICT,STALE_RECORD',
    '2',
  ],
  ['a key was taken', ['nothing', 'nothing'], [taken, null], 'ALREADY_EXISTS,CONFLICT', '10'],
  [
    'two share a record, and one was refused',
    ['shared', 'notApplied'],
    [stale, null],
    'CONFLICT,CONFLICT',
    '1',
  ],
  [
    'a stale record has the values of another client',
    ['same', 'notApplied'],
    [stale, null],
    'STALE_RECORD,CONFLICT',
    '1',
  ],
  ['nobody can act on it', ['nothing', 'nothing'], [throttled, null], 'UPSTREAM_THROTTLED', ''],
  ['nobody can act on one of two', ['nothing', 'nothing'], [throttled, refused], 'CONFLICT,REFUSED', ''],
])('of a transaction in which %s', async (_what, shows, attempts, told, read) => {
  expect(await run(shows, attempts)).toEqual({ told, read });
});
