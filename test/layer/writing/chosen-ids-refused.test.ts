import { describe, expect } from 'vitest';
import {
  callsWithIds,
  createRecord,
  testWithIds,
  unknownOutcome,
  uuid,
} from '../../support/client-supplied-ids.ts';

const chosen = '44444444-4444-4444-8444-444444444444';

const honouring = testWithIds('honour');
const refusing = testWithIds('refuse');
const switchedOff = testWithIds('honour', { BUSINESS_CHOSEN_IDS: 'off' });

const named = (displayName: string) => ({ displayName });

const invalid = { record: null, userErrors: [{ code: 'REFUSED' }] };

describe('where the upstream refuses ids', () => {
  refusing(
    'a refused create is retried without an id, and no id is sent any more',
    async ({ fresh, sandbox }) => {
      const first = await createRecord(fresh, named('Brindle'));
      const second = await createRecord(fresh, named('Brindle'));

      expect([first.userErrors, second.userErrors]).toEqual([[], []]);
      expect(first.record.id).not.toBe(second.record.id);
      expect(await callsWithIds(sandbox)).toEqual([
        ['POST', 400, expect.stringMatching(uuid)],
        ['POST', 201, undefined],
        ['POST', 201, undefined],
      ]);
    },
  );

  refusing(
    'a create whose retry is lost is OUTCOME_UNKNOWN, and not sent a third time',
    async ({ fresh, sandbox }) => {
      await sandbox.fault({ method: 'POST', delayMs: 0 });
      await sandbox.fault({ method: 'POST', reset: 'after' });

      expect(await createRecord(fresh, named('Brindle'))).toEqual(unknownOutcome);
      expect(await callsWithIds(sandbox)).toEqual([
        ['POST', 400, expect.stringMatching(uuid)],
        ['POST', 0, undefined],
      ]);
    },
  );

  refusing('a create that is lost later is OUTCOME_UNKNOWN, and sent once', async ({ fresh, sandbox }) => {
    await createRecord(fresh, named('The first'));
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'POST', reset: 'after' });

    expect(await createRecord(fresh, named('Brindle'))).toEqual(unknownOutcome);
    expect(await callsWithIds(sandbox)).toEqual([['POST', 0, undefined]]);
  });

  refusing(
    "a caller's own id is refused as INVALID_INPUT, and nothing is created",
    async ({ fresh, sandbox }) => {
      expect(await createRecord(fresh, { id: chosen, ...named('Brindle') })).toEqual({
        record: null,
        userErrors: [{ code: 'INVALID_INPUT' }],
      });
      expect(await callsWithIds(sandbox)).toEqual([['POST', 400, chosen]]);
    },
  );
});

describe('with BUSINESS_CHOSEN_IDS=off', () => {
  switchedOff(
    'no id is sent, and a lost create is OUTCOME_UNKNOWN and sent once',
    async ({ fresh, sandbox }) => {
      await createRecord(fresh, named('The first'));
      await sandbox.fault({ method: 'POST', reset: 'after' });

      expect(await createRecord(fresh, named('Brindle'))).toEqual(unknownOutcome);
      expect(await callsWithIds(sandbox)).toEqual([
        ['POST', 201, undefined],
        ['POST', 0, undefined],
      ]);
    },
  );

  switchedOff(
    "a caller's own id is sent and verified, but the create is never retried",
    async ({ fresh, sandbox }) => {
      const made = await createRecord(fresh, { id: chosen, ...named('The first') });
      await sandbox.forgetCalls();
      const other = chosen.replaceAll('4', '5');
      await sandbox.fault({ method: 'POST', reset: 'before' });
      const lost = await createRecord(fresh, { id: other, ...named('Brindle') });
      await sandbox.fault({ method: 'POST', reset: 'after' });
      const found = await createRecord(fresh, { id: other, ...named('Brindle') });

      expect(made).toMatchObject({ record: { id: chosen }, userErrors: [] });
      expect(lost).toEqual(unknownOutcome);
      expect(found).toMatchObject({ record: { id: other }, userErrors: [] });
      expect(await callsWithIds(sandbox)).toEqual([
        ['POST', 0, other],
        ['GET', 404, undefined],
        ['POST', 0, other],
        ['GET', 200, undefined],
      ]);
    },
  );
});

describe('while it is not known whether ids are kept', () => {
  honouring(
    'a create refused for its values is retried without an id, and is REFUSED',
    async ({ fresh, sandbox }) => {
      expect(await createRecord(fresh, { displayName: 'Brindle', email: 'no address' })).toEqual(invalid);
      expect(await callsWithIds(sandbox)).toEqual([
        ['POST', 400, expect.stringMatching(uuid)],
        ['POST', 400, undefined],
      ]);
      // That proves nothing: the next create has an id again, and is trusted with it from then on.
      const { record } = await createRecord(fresh, named('Brindle'));
      expect(await createRecord(fresh, { displayName: 'Brindle', email: 'no address' })).toEqual(invalid);
      expect((await callsWithIds(sandbox)).slice(2)).toEqual([
        ['POST', 201, record.id],
        ['POST', 400, expect.stringMatching(uuid)],
      ]);
    },
  );

  honouring.for([
    [403, 'NOT_ALLOWED'],
    [409, 'CONFLICT'],
  ] as const)('a create refused with %i is %s, and sent once', async ([status, code], { fresh, sandbox }) => {
    await sandbox.fault({ method: 'POST', status, body: {} });

    expect(await createRecord(fresh, named('Brindle'))).toEqual({ record: null, userErrors: [{ code }] });
    expect(await callsWithIds(sandbox)).toHaveLength(1);
  });
});
