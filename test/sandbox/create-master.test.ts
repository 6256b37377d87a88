import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const sets = ['customers', 'items', 'employees'] as const;

/** A body that is enough, and the number that the series gives to the first and the second record. */
const least = {
  customers: [{ displayName: 'Brindle Trading' }, 'C13000', 'C13010'],
  items: [{ displayName: 'Oak shelf' }, '1480', '1484'],
  employees: [{ givenName: 'Ada', surname: 'Byron' }, 'E041', 'E042'],
} as const;

const changed = { lastModifiedDateTime: '2025-01-01T00:00:00Z' };
const readOnly = {
  customers: [changed, { balanceDue: 1 }, { taxAreaDisplayName: 'X' }],
  items: [changed],
  employees: [changed, { displayName: 'Ada' }],
} as const;

const duplicate = { body: { error: { code: 'Internal_EntityWithSameKeyExists' } } };
const refused = (code: string) => ({ status: 400, body: { error: { code } } });

describe.each([
  ['document', document, 409],
  ['dynamics', dynamics, 400],
] as const)('create in %s', (_dialect, sandbox, duplicateStatus) => {
  const count = (set: string) => sandbox.count(`${company}/${set}`);

  describe.each(sets)('of %s', (set) => {
    const path = `${company}/${set}`;
    const [body, firstNumber, secondNumber] = least[set];

    test('A.create.18 The response is the whole record and its URL', async () => {
      const before = await count(set);
      const reply = await sandbox.post(path, body);
      const location = reply.headers.get('location') ?? '';
      const [other] = await sandbox.list(`${path}?$top=1`);

      expect(reply.status).toBe(201);
      expect(reply.body).toMatchObject({ ...body, '@odata.etag': expect.stringMatching(/^W\//) });
      expect(Object.keys(reply.body).sort()).toEqual([...Object.keys(other), '@odata.context'].sort());
      expect(location).toBe(`${sandbox.url}${path}(${reply.body.id})`);
      expect((await sandbox.get(location)).body).toEqual(reply.body);
      expect(await count(set)).toBe(before + 1);
    });

    test('A.create.19 An omitted number is the next free one of the series, and no number is assigned twice', async () => {
      const first = await sandbox.post(path, body);
      await sandbox.send('DELETE', `${path}(${first.body.id})`);
      const second = await sandbox.post(path, { ...body, number: '' });
      const own = await sandbox.post(path, { ...body, number: ` own-1${' '.repeat(3)}` });

      expect(first.body.number).toBe(firstNumber);
      expect(second.body.number).toBe(secondNumber);
      expect(second.body.id).not.toBe(first.body.id);
      expect(own.body.number).toBe(' OWN-1');
    });

    test('A.duplicate.1 A number that is taken, in any case, is rejected and nothing is created', async () => {
      await sandbox.post(path, { ...body, number: 'TWIN' });
      const before = await count(set);
      const reply = await sandbox.post(path, { ...body, number: 'twin' });

      expect(reply).toMatchObject({ status: duplicateStatus, ...duplicate });
      expect(reply.body.error.message).toContain("No.='TWIN'");
      expect(await count(set)).toBe(before);
    });

    test('A.duplicate.2 An id that is taken is rejected and nothing is created', async () => {
      const [taken] = await sandbox.list(`${path}?$top=1`);
      const before = await count(set);

      expect(await sandbox.post(path, { ...body, id: taken.id.toUpperCase() })).toMatchObject({
        status: duplicateStatus,
        ...duplicate,
      });
      expect(await count(set)).toBe(before);
      expect((await sandbox.get(`${path}(${taken.id})`)).body).toMatchObject(taken);
    });

    test('A.create.20 Read-only fields are rejected', async () => {
      for (const more of readOnly[set]) {
        expect(await sandbox.post(path, { ...body, ...more })).toMatchObject(
          refused('BadRequest_InvalidOperation'),
        );
      }
    });

    test('A.create.21 An unknown property, a text that is too long and a wrong type are rejected', async () => {
      const before = await count(set);

      expect(await sandbox.post(path, { ...body, colour: 'red' })).toMatchObject(refused('BadRequest'));
      expect(await sandbox.post(path, { ...body, number: 5 })).toMatchObject(refused('BadRequest'));
      expect(await sandbox.post(path, { ...body, number: 'x'.repeat(21) })).toMatchObject(
        refused('Application_StringExceededLength'),
      );
      expect(await count(set)).toBe(before);
    });

    test('A.create.22 A read-only caller is 403, a body not declared as JSON is 415, an invalid one 400', async () => {
      const headers = { 'content-type': 'application/json' };

      expect((await sandbox.post(path, body, { token: 'reader-1' })).status).toBe(403);
      expect((await sandbox.send('POST', path, { body: JSON.stringify(body) })).status).toBe(415);
      expect((await sandbox.send('POST', path, { headers, body: '[' })).status).toBe(400);
    });
  });
});
