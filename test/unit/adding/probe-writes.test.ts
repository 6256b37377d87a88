import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import type { RecordTypeFile } from '../../../src/business/record-files/record-file.ts';
import { createAddingFixture } from '../../support/adding.ts';
import { fixture } from '../../support/fixture.ts';
import { probeCompany } from '../../support/probe-stub.ts';
import { startWriteStub, type WriteStub } from '../../support/write-stub.ts';

const test = base.extend(
  'probeWrites',
  fixture(async ({ onCleanup }) => {
    const checkout = createAddingFixture();
    const stubs: WriteStub[] = [];
    onCleanup(() => {
      checkout.remove();
      for (const stub of stubs) stub.stop();
    });
    return async (
      options: Parameters<typeof startWriteStub>[0],
      args: { writeValues?: string; maxCalls?: string } = {},
    ) => {
      const stub = await startWriteStub(options);
      stubs.push(stub);
      const { code, text, error } = await checkout.add({
        entitySets: ['resources'],
        metadata: join(checkout.folder, 'metadata.xml'),
        url: stub.url,
        probeWrites: true,
        yesWrite: probeCompany,
        json: true,
        ...args,
      });
      const start = text.indexOf('{\n');
      const file = start === -1 ? null : (JSON.parse(text.slice(start)) as RecordTypeFile);
      return { code, text, error, file, stub };
    };
  }),
);

const writesOf = (file: RecordTypeFile | null, name: string) => file?.fields[name]?.writes;
const deleted = ({ requests }: WriteStub) => requests.filter(({ method }) => method === 'DELETE').length;

test('finds what a create and an update take, and deletes what it made', async ({ probeWrites }) => {
  const { code, file, text, stub } = await probeWrites({
    required: ['displayName'],
    readOnly: ['type'],
    dropped: ['unitPrice'],
    onlyUpdated: ['blocked'],
  });

  expect(code).toBe(0);
  expect(file?.writes).toEqual(['create', 'update', 'delete']);
  expect(file?.fields.displayName).toMatchObject({ writes: ['create', 'update'], isRequired: true });
  expect(writesOf(file, 'number')).toEqual(['create', 'update']);
  expect(writesOf(file, 'blocked')).toEqual(['update']);
  // One is refused, the other dropped without a word; no value is known for an id.
  for (const name of ['type', 'unitPrice', 'itemId', 'lastModifiedDateTime', 'id'])
    expect(writesOf(file, name), name).toBeUndefined();
  expect(stub.records.size).toBe(0);
  const made = stub.requests.filter(({ method }) => method === 'POST').length;
  expect(text.match(/Made resources\([\w-]+\) in company/g)?.length).toBe(deleted(stub));
  expect(made).toBeGreaterThan(deleted(stub));
});

test('a failure in the middle deletes what was made, and writes nothing', async ({ probeWrites }) => {
  const { code, file, error, stub } = await probeWrites({
    intercept: ({ method }) => (method === 'PATCH' ? { status: 503 } : undefined),
  });

  expect({ code, file, error }).toEqual({ code: 1, file: null, error: expect.stringContaining('503') });
  expect(stub.records.size).toBe(0);
  expect(deleted(stub)).toBe(1);
});

test('a delete whose outcome is unknown is settled by reading, and told with the id where that fails', async ({
  probeWrites,
}) => {
  const settled = await probeWrites({
    // Carried out, and the connection breaks before the response.
    intercept: ({ method }) =>
      method === 'GET' ? { status: 404 } : method === 'DELETE' ? { isCut: true } : undefined,
  });
  const unknown = await probeWrites({
    intercept: ({ method }) => (method === 'GET' || method === 'DELETE' ? { isCut: true } : undefined),
  });

  expect(settled.code).toBe(0);
  expect(settled.file?.writes).not.toContain('delete');
  const [id] = [...unknown.stub.records.keys()];
  expect(unknown).toMatchObject({ code: 1, file: null });
  expect(unknown.error).toContain('It is not certain that these records of resources');
  expect(unknown.error).toContain(id);
});

test('a create whose outcome is unknown says what to look for', async ({ probeWrites }) => {
  const { code, error } = await probeWrites({
    intercept: ({ method }) => (method === 'POST' ? { isCut: true } : undefined),
  });

  expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('may have been made') });
});

test('what a new record needs can be given', async ({ probeWrites }) => {
  const needs = { required: ['displayName', 'type'] };
  const refused = await probeWrites(needs);
  const given = await probeWrites(needs, { writeValues: '{"displayName":"Probe","type":"Person"}' });

  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('A "type" must be provided.') });
  expect(refused.error).toContain('--write-values');
  expect(given.code).toBe(0);
  expect(writesOf(given.file, 'displayName')).toEqual(['create', 'update']);
});

test('the limit of calls leaves enough to delete', async ({ probeWrites }) => {
  const { stub } = await probeWrites({}, { maxCalls: '5' });

  expect(stub.requests.length).toBeLessThanOrEqual(5);
  expect(stub.records.size).toBe(0);
});
