import { describe, expect, test } from 'vitest';
import { productRecordTypes } from '../../../../src/app/schema/product-record-types.ts';
import { getDialect } from '../../../../src/business/record-sets/dialect.ts';
import type { BusinessRecord } from '../../../../src/business/record-sets/record-set.ts';
import type { RecordTypeDescriptor } from '../../../../src/business/records/record-type.ts';
import { createClientSuppliedIds } from '../../../../src/business/writing/client-supplied-ids.ts';
import { prepareDelete, prepareUpdate } from '../../../../src/business/writing/conditional-writes.ts';
import { prepareCreate } from '../../../../src/business/writing/creates.ts';
import { type PreparedWrite, settleWrite } from '../../../../src/business/writing/settlement.ts';
import type { AttemptResult, RecordPart, RecordWriter } from '../../../../src/business/writing/writer.ts';
import { type ErrorCode, UpstreamError } from '../../../../src/errors.ts';
import type { CallResult } from '../../../../src/odata/batch.ts';

const companyId = 'a1b2c3d4-0000-4000-8000-00000000000c';
const id = 'a1b2c3d4-0000-4000-8000-000000000001';
const otherId = 'a1b2c3d4-0000-4000-8000-000000000002';
const { recordTypes } = productRecordTypes();
const setOf = (type: string) => recordTypes.find((one) => one.type === type) as RecordTypeDescriptor;

const failure = (
  code: ErrorCode,
  delivery: 'unknown' | 'rejected' | 'notSent',
  status: number,
  upstream?: string,
) =>
  new UpstreamError(code, 'No.', {
    upstream: 'business',
    delivery,
    status,
    detail: upstream
      ? { code: upstream, message: 'No.', target: null, details: [], additionalInfo: [] }
      : null,
  });

const lost = failure('UPSTREAM_UNAVAILABLE', 'unknown', 503);
const down = failure('UPSTREAM_UNAVAILABLE', 'unknown', 503);
const stale = failure('UPSTREAM_REJECTED', 'rejected', 412);
const entityChanged = failure('UPSTREAM_REJECTED', 'rejected', 409, 'Request_EntityChanged');
const conflict = failure('UPSTREAM_REJECTED', 'rejected', 409);
const refused = failure('UPSTREAM_REJECTED', 'rejected', 400, 'Application_DialogException');
const taken = failure('UPSTREAM_REJECTED', 'rejected', 400, 'Internal_EntityWithSameKeyExists');
const forbidden = failure('FORBIDDEN', 'rejected', 403);
const unauthenticated = failure('UNAUTHENTICATED', 'rejected', 401);
const throttled = failure('UPSTREAM_THROTTLED', 'rejected', 429);
const locked = failure('UPSTREAM_UNAVAILABLE', 'rejected', 409);
const absent = failure('UPSTREAM_REJECTED', 'rejected', 404, 'Internal_RecordNotFound');
const noCompany = failure('UPSTREAM_REJECTED', 'rejected', 404, 'Internal_CompanyNotFound');
const maybeAbsent = failure('UPSTREAM_NOT_FOUND', 'rejected', 404, 'BadRequest_ResourceNotFound');

const record = (etag: string, city: string, more: object = {}): BusinessRecord => ({
  companyId,
  id,
  etag: `"${etag}"`,
  city,
  ...more,
});
const old = record('1', 'Moss');
const made = record('2', 'Oslo');
const changed = record('2', 'Bergen');
const unchanged = record('1', 'Oslo');

/** A response to an attempt. What is in it is the record that the writer would parse. */
const success = (found: BusinessRecord | null, status = 200, body: unknown = found) =>
  ({ status, body, headers: {}, found }) as unknown as CallResult;

interface Scene {
  /** What reads of the record by its id find, one after another; the last one stays. */
  readonly reads?: readonly AttemptResult[];
  readonly holder?: AttemptResult;
  /** Why the set cannot be read. */
  readonly setFailure?: UpstreamError;
  readonly isOwnerAbsent?: boolean;
  /** The responses to the attempts after the first. */
  readonly answers?: readonly CallResult[];
  readonly pauses?: number;
  readonly ids?: 'trusted' | 'untrusted' | 'unproven';
  readonly isTransaction?: boolean;
}

/** A writer whose upstream responds as the scene says, and the steps that are made. A step with `*` is repeated while it fails. */
function createScene(scene: Scene) {
  const steps: string[] = [];
  const ids = createClientSuppliedIds('auto', () => {});
  const customers = { companyId, route: 'v2.0', entitySet: 'customers' };
  if (scene.ids === 'trusted') ids.recordCreated(customers, id, id);
  if (scene.ids === 'untrusted') ids.recordRejected(customers);
  let [isRetried, pauses] = [false, scene.pauses ?? 10];
  const [reads, answers] = [[...(scene.reads ?? [])], [...(scene.answers ?? [])]];
  const note = (step: string) => void steps.push(isRetried ? `${step}*` : step);
  const sent: RecordPart[] = [];
  /** The id of a record in the scene is that of the create. */
  const asSent = (found: AttemptResult) => {
    const own = (sent.at(-1)?.body as { id?: string } | undefined)?.id;
    return found && !(found instanceof UpstreamError) && own && found.id === id
      ? { ...found, id: own }
      : found;
  };
  const writer: RecordWriter = {
    dialect: getDialect('document'),
    clientSuppliedIds: ids,
    mayResend: !scene.isTransaction,
    expandQuery: () => '',
    beginWrite: () => ({
      parse: (answer) =>
        answer instanceof UpstreamError
          ? answer
          : asSent((answer as unknown as { found: AttemptResult }).found),
      async send(part) {
        note('send');
        sent.push(part);
        return answers.shift() as CallResult;
      },
      async pause() {
        pauses -= 1;
        return pauses >= 0;
      },
      async readById() {
        note('read');
        return asSent((reads.length > 1 ? reads.shift() : reads[0]) ?? null);
      },
      async readByNumber() {
        note('number');
        return asSent(scene.holder ?? null);
      },
      async isOwnerAbsent() {
        note('owner');
        return scene.isOwnerAbsent === true;
      },
      async withRetry(read) {
        isRetried = true;
        return read().finally(() => {
          isRetried = false;
        });
      },
      async findSetFailure() {
        note('set');
        return scene.setFailure ?? null;
      },
      async isSetReadable() {
        note('set');
        return !scene.setFailure;
      },
    }),
  };
  return { writer, steps, sent, ids, customers };
}

/** The code that is told with the ETag of the record in the payload, the steps until then, and how many bodies were sent. */
async function run(
  prepare: (writer: RecordWriter) => PreparedWrite,
  [first, ...answers]: readonly CallResult[],
  reads: readonly AttemptResult[],
  more: Scene = {},
) {
  const { writer, steps, sent } = createScene({ answers, reads, ...more });
  const write = prepare(writer);
  if ('faults' in write) throw new Error('It is not sent.');
  sent.push(write.part);
  const told = await settleWrite(write, first as CallResult).then(
    ({ record: shown, userErrors }) =>
      [userErrors[0]?.code ?? 'done', shown?.etag?.replaceAll('"', '')].filter(Boolean).join(' '),
    (error: UpstreamError) => `throws ${error.code}`,
  );
  const bodies = new Set(sent.map(({ body }) => JSON.stringify(body)));
  return { told, steps: steps.join(' '), bodies: bodies.size };
}

const target = { companyId, id, path: [] };
const update =
  (ifMatch = '"1"', patch: object = { city: 'Oslo' }, type = 'Customer') =>
  (writer: RecordWriter) =>
    prepareUpdate(writer, setOf(type), { ...target, ifMatch, patch: { ...patch } });
const remove =
  (ifMatch = '"1"') =>
  (writer: RecordWriter) =>
    prepareDelete(writer, setOf('Customer'), { ...target, ifMatch });

type Row = readonly [
  what: string,
  responses: readonly CallResult[],
  reads: readonly AttemptResult[],
  told: string,
  steps: string,
  scene?: Scene,
];

const updates: readonly Row[] = [
  ['made, with the record', [success(made)], [], 'done 2', ''],
  ['made, without the record', [success(null)], [made], 'done 2', 'read'],
  ['accepted only', [success(null)], [old], 'OUTCOME_UNKNOWN 1', 'read'],
  ['lost and made', [lost], [made], 'done 2', 'read*'],
  ['lost, not made', [lost, success(made)], [old], 'done 2', 'read* send'],
  ['lost, values there before', [lost, success(made)], [unchanged], 'done 2', 'read* send'],
  ['lost twice, made', [lost, lost], [old, made], 'done 2', 'read* send read*'],
  ['lost twice, not made', [lost, lost], [unchanged], 'OUTCOME_UNKNOWN 1', 'read* send read*'],
  [
    'lost, then locked and throttled',
    [lost, locked, throttled, success(made)],
    [old],
    'done 2',
    'read* send read* send read* send',
  ],
  ['locked', [locked], [old], 'CONFLICT 1', 'read'],
  ['lost, without time left', [lost], [old], 'OUTCOME_UNKNOWN 1', 'read*', { pauses: 0 }],
  [
    'lost, then throttled, without time left',
    [lost, throttled],
    [old],
    'OUTCOME_UNKNOWN 1',
    'read* send',
    { pauses: 1 },
  ],
  ['lost, changed by another', [lost], [changed], 'OUTCOME_UNKNOWN 2', 'read*'],
  ['lost, gone', [lost], [null], 'NOT_FOUND', 'read* set'],
  ['lost, not shown, nor its set', [lost], [null], 'OUTCOME_UNKNOWN', 'read* set', { setFailure: down }],
  ['lost, unreadable', [lost], [down], 'OUTCOME_UNKNOWN', 'read*'],
  ['lost, then stale, made', [lost, stale], [old, made], 'done 2', 'read* send read*'],
  [
    'lost, then stale, changed by another',
    [lost, entityChanged],
    [old, changed],
    'OUTCOME_UNKNOWN 2',
    'read* send read*',
  ],
  ['lost, then stale, unchanged', [lost, stale], [old], 'OUTCOME_UNKNOWN 1', 'read* send read*'],
  ['lost, then refused', [lost, refused], [old], 'REFUSED 1', 'read* send read*'],
  ['lost, then unauthenticated', [lost, unauthenticated], [old], 'OUTCOME_UNKNOWN 1', 'read* send read*'],
  ['lost, then absent', [lost, absent], [old, null], 'NOT_FOUND', 'read* send read* set'],
  ['stale, made: delivered twice', [stale], [made], 'done 2', 'read*'],
  ['stale', [entityChanged], [changed], 'STALE_RECORD 2', 'read*'],
  ['stale, unchanged', [stale], [old], 'CONFLICT 1', 'read*'],
  ['stale, unreadable', [stale], [down], 'OUTCOME_UNKNOWN', 'read*'],
  ['stale, not shown, nor its set', [stale], [null], 'OUTCOME_UNKNOWN', 'read* set', { setFailure: down }],
  ['in conflict, made: delivered twice', [conflict], [made], 'done 2', 'read'],
  ['in conflict', [conflict], [old], 'CONFLICT 1', 'read'],
  ['refused', [refused], [old], 'REFUSED 1', 'read'],
  ['refused, though the values are there', [refused], [made], 'REFUSED 2', 'read'],
  ['absent', [absent], [null], 'NOT_FOUND', 'read'],
  ['absent is what it names', [absent], [old], 'INVALID_INPUT 1', 'read read'],
  ['maybe absent', [maybeAbsent], [], 'NOT_FOUND', 'set'],
  [
    'maybe absent, as its set',
    [maybeAbsent],
    [],
    'throws UPSTREAM_NOT_FOUND',
    'set',
    { setFailure: maybeAbsent },
  ],
  ['unauthenticated', [unauthenticated], [], 'throws UNAUTHENTICATED', ''],
];

test.for(updates)('an update that is %s', async ([, responses, reads, told, steps, scene]) => {
  expect(await run(update(), responses, reads, scene)).toEqual({ told, steps, bodies: 1 });
});

const stock = (inventory: string) => record('1', '', { inventory });
const updateStock = update('"1"', { inventory: '5' }, 'Item');
test.each([
  ['of any version, made', update('*'), made, 'done 2'],
  ['of any version, not made', update('*'), old, 'OUTCOME_UNKNOWN 1'],
  ['outside the ETag, held', updateStock, stock('5'), 'done 1'],
  ['outside the ETag, not held', updateStock, stock('4'), 'OUTCOME_UNKNOWN 1'],
])('a lost update %s is never sent again: its values decide', async (_what, prepare, found, told) => {
  expect(await run(prepare, [lost], [found])).toMatchObject({ told, steps: 'read*' });
});

const gone = success(null, 204);
const deletes: readonly Row[] = [
  ['done, without content', [gone], [], 'done', ''],
  ['answered with a page', [success(null, 200, 'page'), gone], [old], 'done', 'read* send'],
  ['answered 201', [success(null, 201)], [null], 'done', 'read* set'],
  ['accepted', [success(null, 202)], [old], 'OUTCOME_UNKNOWN 1', 'read*', { pauses: 0 }],
  ['lost and done', [lost], [null], 'done', 'read* set'],
  ['lost, not shown, nor its set', [lost], [null], 'OUTCOME_UNKNOWN', 'read* set', { setFailure: down }],
  ['lost, unreadable', [lost], [down], 'OUTCOME_UNKNOWN', 'read*'],
  ['lost, not done', [lost, gone], [old], 'done', 'read* send'],
  ['lost twice, not done', [lost, lost], [old], 'OUTCOME_UNKNOWN 1', 'read* send read*'],
  ['lost, then absent', [lost, maybeAbsent], [old], 'done', 'read* send set'],
  [
    'lost, then absent, as its set',
    [lost, absent],
    [old],
    'OUTCOME_UNKNOWN',
    'read* send set',
    { setFailure: down },
  ],
  ['lost, then stale', [lost, entityChanged], [old, changed], 'STALE_RECORD 2', 'read* send read*'],
  ['lost, then refused', [lost, refused], [old], 'REFUSED 1', 'read* send read'],
  ['lost, then unauthenticated', [lost, unauthenticated], [old], 'OUTCOME_UNKNOWN 1', 'read* send read*'],
  ['stale', [stale], [changed], 'STALE_RECORD 2', 'read*'],
  ['stale, unchanged', [stale], [old], 'CONFLICT 1', 'read*'],
  ['refused', [refused], [old], 'REFUSED 1', 'read'],
  ['forbidden', [forbidden], [], 'NOT_ALLOWED', ''],
  ['absent', [absent], [null], 'NOT_FOUND', 'read'],
  ['absent is what it names', [absent], [old], 'INVALID_INPUT 1', 'read read'],
  ['maybe absent', [maybeAbsent], [], 'NOT_FOUND', 'set'],
  [
    'maybe absent, its set unreadable',
    [maybeAbsent],
    [old],
    'OUTCOME_UNKNOWN 1',
    'set read',
    { setFailure: down },
  ],
  [
    'maybe absent, as its set',
    [maybeAbsent],
    [],
    'throws UPSTREAM_NOT_FOUND',
    'set',
    { setFailure: maybeAbsent },
  ],
  ['unauthenticated', [unauthenticated], [], 'throws UNAUTHENTICATED', ''],
];

test.for(deletes)('a delete that is %s', async ([, responses, reads, told, steps, scene]) => {
  expect(await run(remove(), responses, reads, scene)).toEqual({ told, steps, bodies: 1 });
});

test('a lost delete of any version is sent again', async () => {
  expect(await run(remove('*'), [lost, gone], [old])).toMatchObject({ told: 'done' });
});

const create =
  (fields: object = {}, chosen: string | null = null) =>
  (writer: RecordWriter) =>
    prepareCreate(writer, setOf('Customer'), {
      companyId,
      id: chosen,
      path: [],
      fields: { city: 'Oslo', ...fields },
    });
const numbered = create({ number: 'C1' });
const chosen = create({}, id);
const trusted = { ids: 'trusted' } as const;
const another = record('3', 'Moss', { id: otherId });
const own = success(made, 201);

const creates: readonly (readonly [
  ...Row,
  prepare?: (writer: RecordWriter) => PreparedWrite,
  bodies?: number,
])[] = [
  ['made', [own], [], 'done 2', ''],
  ['made, without the record', [success(null, 204)], [made], 'done 2', 'read*'],
  ['made, without the record, and unreadable', [success(null, 204)], [down], 'done', 'read*'],
  ['accepted only', [success(null, 204)], [null], 'OUTCOME_UNKNOWN', 'read*'],
  ['lost and made', [lost], [made], 'done 2', 'read*'],
  ['lost, not shown, ids unproven', [lost], [null], 'OUTCOME_UNKNOWN', 'read*'],
  ['lost, unreadable', [lost], [down], 'OUTCOME_UNKNOWN', 'read*', trusted],
  ['lost, without an id', [lost], [], 'OUTCOME_UNKNOWN', '', { ids: 'untrusted' }],
  ['lost, not made', [lost, own], [null], 'done 2', 'read* send', trusted],
  [
    'lost three times, then made',
    [lost, lost, lost, own],
    [null],
    'done 2',
    'read* send read* send read* send',
    trusted,
  ],
  ['lost, without time left', [lost], [null], 'OUTCOME_UNKNOWN', 'read*', { ...trusted, pauses: 0 }],
  ['lost, then refused', [lost, refused], [null], 'REFUSED', 'read* send read*', trusted],
  ['lost, then refused, but shown', [lost, refused], [null, made], 'done 2', 'read* send read*', trusted],
  ['lost under its own id, made', [lost], [made], 'done 2', 'read*', {}, chosen],
  [
    'lost under its own id, which an older record has',
    [lost],
    [old],
    'OUTCOME_UNKNOWN 1',
    'read*',
    trusted,
    chosen,
  ],
  ['lost under its own id, ids unproven', [lost], [null], 'OUTCOME_UNKNOWN', 'read*', {}, chosen],
  [
    'lost in a transaction, its set readable',
    [lost],
    [null],
    'OUTCOME_UNKNOWN',
    'read* set',
    { ...trusted, isTransaction: true },
  ],
  ['refused for its key, its own: delivered twice', [taken], [made], 'done 2', 'read*'],
  ['refused for a key that the upstream chose', [taken], [null], 'ALREADY_EXISTS', 'read*'],
  ['refused for its key, without an id', [taken], [], 'ALREADY_EXISTS', '', { ids: 'untrusted' }],
  [
    'refused for its number, its own: delivered twice',
    [taken],
    [],
    'done 2',
    'number*',
    { holder: made },
    numbered,
  ],
  ['refused for its number', [taken], [], 'ALREADY_EXISTS 3', 'number*', { holder: another }, numbered],
  [
    'refused for its number, holder not shown',
    [taken],
    [],
    'OUTCOME_UNKNOWN',
    'number* number*',
    { pauses: 1 },
    numbered,
  ],
  ['refused for the id of its caller', [taken], [made], 'ALREADY_EXISTS 2', 'read', {}, chosen],
  [
    'refused for the number beside it',
    [taken],
    [null],
    'ALREADY_EXISTS 3',
    'read number',
    { holder: another },
    create({ number: 'C1' }, id),
  ],
  [
    'lost, then refused for its key, its own',
    [lost, taken],
    [null, made],
    'done 2',
    'read* send read*',
    trusted,
  ],
  [
    'lost, then refused for its key, shown late',
    [lost, taken],
    [null, null, null, made],
    'done 2',
    'read* send read* read* read*',
    trusted,
  ],
  [
    'lost, then refused for its number',
    [lost, taken],
    [null],
    'ALREADY_EXISTS 3',
    'read* send number*',
    { ...trusted, holder: another },
    numbered,
  ],
  [
    'lost, then refused for the id of its caller, made',
    [lost, taken],
    [null, made],
    'done 2',
    'read* send read*',
    trusted,
    chosen,
  ],
  [
    'lost, then refused for the id of an older record',
    [lost, taken],
    [null, old],
    'OUTCOME_UNKNOWN 1',
    'read* send read*',
    trusted,
    chosen,
  ],
  ['refused, maybe for its id', [refused, own], [], 'done 2', 'send', {}, create(), 2],
  ['refused with and without an id', [refused, refused], [], 'REFUSED', 'send', {}, create(), 2],
  ['refused without its id, then lost', [refused, lost], [], 'OUTCOME_UNKNOWN', 'send', {}, create(), 2],
  ['refused with the id of its caller', [refused], [], 'REFUSED', '', {}, chosen],
  ['refused in a transaction', [refused], [], 'REFUSED', '', { isTransaction: true }],
  ['in conflict', [conflict], [], 'CONFLICT', ''],
  ['forbidden', [forbidden], [], 'NOT_ALLOWED', ''],
  ['refused for what it names', [absent], [], 'INVALID_INPUT', ''],
  ['refused for its company', [noCompany], [], 'NOT_FOUND', ''],
  ['refused for its owner', [maybeAbsent], [], 'NOT_FOUND', 'owner', { isOwnerAbsent: true }],
  ['refused for its route', [maybeAbsent], [], 'throws UPSTREAM_NOT_FOUND', 'owner'],
  ['unauthenticated', [unauthenticated], [], 'throws UNAUTHENTICATED', ''],
];

test.for(creates)(
  'a create that is %s',
  async ([, responses, reads, told, steps, scene, prepare = create(), bodies = 1]) => {
    expect(await run(prepare, responses, reads, scene)).toEqual({ told, steps, bodies });
  },
);

describe('what creates show of ids', () => {
  const settle = async (scene: Scene, first: CallResult, prepare = create()) => {
    const { writer, sent, ids, customers } = createScene(scene);
    const write = prepare(writer) as Exclude<PreparedWrite, { faults: unknown }>;
    sent.push(write.part);
    await settleWrite(write, first);
    return { isTrusted: ids.isTrusted(customers), isUnproven: ids.isUnproven(customers) };
  };
  const [kept, dropped, nothing] = [
    { isTrusted: true, isUnproven: false },
    { isTrusted: false, isUnproven: false },
    { isTrusted: false, isUnproven: true },
  ];

  test.each([
    ['a record with the id', own, {}, kept],
    ['a record with another', success(another, 201), {}, dropped],
    ['one that was made without an id only', refused, { answers: [own] }, dropped],
    ['one that was refused with and without', refused, { answers: [refused] }, nothing],
    ['one that was lost and found', lost, { reads: [made] }, nothing],
    ['one without a record', success(null, 201), { reads: [made] }, nothing],
  ] as const)('%s', async (_what, first, scene, shown) => {
    expect(await settle(scene, first)).toEqual(shown);
  });

  test.each([
    [{}, true],
    [{ ids: 'untrusted' }, false],
    [{ isTransaction: true }, false],
    [{ isTransaction: true, ids: 'trusted' }, true],
  ] as const)('with %j, that a create carries a generated id is %s', (scene, isCarried) => {
    const write = create()(createScene(scene).writer);
    expect('part' in write && write.part.body !== undefined && 'id' in write.part.body).toBe(isCarried);
    expect('canShowOutcome' in write && write.canShowOutcome).toBe(isCarried);
  });
});
