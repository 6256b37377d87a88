import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import type { RecordTypeFile } from '../../../src/business/record-files/record-file.ts';
import { createAddingFixture, resourceFile } from '../../support/adding.ts';
import { fixture } from '../../support/fixture.ts';
import { probeCompany } from '../../support/upstreams/probe-stub.ts';
import { startWriteStub, type WriteStub } from '../../support/upstreams/write-stub.ts';

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
      args: { writeValues?: string; maxCalls?: string; draft?: RecordTypeFile } = {},
    ) => {
      const stub = await startWriteStub(options);
      stubs.push(stub);
      const { draft, ...rest } = args;
      if (draft) checkout.setDraft(draft);
      const { code, text, error } = await checkout.add({
        entitySets: ['resources'],
        metadata: join(checkout.folder, 'metadata.xml'),
        url: stub.url,
        probeWrites: true,
        yesWrite: probeCompany,
        json: true,
        ...rest,
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

/** A draft of metadata that says that everything is written. */
function writableFile(): RecordTypeFile {
  const file = resourceFile({ writes: ['create', 'update', 'delete'] });
  const fields = Object.entries(file.fields).map(
    ([name, field]) =>
      [name, name === 'id' ? field : { ...field, writes: ['create', 'update'], isRequired: true }] as const,
  );
  return { ...file, fields: Object.fromEntries(fields) as RecordTypeFile['fields'] };
}

test('what the metadata says is written and the service drops or refuses is not written', async ({
  probeWrites,
}) => {
  const { code, file, text } = await probeWrites(
    { dropped: ['displayName', 'unitPrice'], onlyUpdated: ['blocked'], readOnly: ['type'] },
    { draft: writableFile() },
  );

  expect(code).toBe(0);
  for (const name of ['displayName', 'unitPrice', 'type']) {
    expect(writesOf(file, name), name).toBeUndefined();
    expect(file?.fields[name]?.isRequired, name).toBeUndefined();
  }
  expect(writesOf(file, 'number')).toEqual(['create', 'update']);
  expect(writesOf(file, 'blocked')).toEqual(['update']);
  // No value is known for an id.
  expect(writesOf(file, 'itemId')).toEqual(['create', 'update']);
  const notes = [
    'Probe of writes: of resources, updates drop the values of: displayName, unitPrice.',
    'Probe of writes: of resources, creates drop the values of: displayName, unitPrice.',
    "Probe of writes: of resources, updates refuse the probe's values of: type.",
    "Probe of writes: of resources, creates refuse the probe's values of: type, blocked.",
    'Probe of writes: of resources, these stay as they were in updates, because they were not asked for: itemId, lastModifiedDateTime.',
    'Probe of writes: of resources, these stay as they were in creates, because they were not asked for: itemId, lastModifiedDateTime.',
  ];
  expect(file?.origin?.notes).toEqual(['Not probed.', ...notes]);
  for (const note of notes) expect(text).toContain(note);
});

test('a type of which nothing can be changed has no update', async ({ probeWrites }) => {
  const { file } = await probeWrites(
    { dropped: ['number', 'displayName', 'unitPrice', 'type', 'blocked'] },
    { draft: resourceFile({ writes: ['create', 'update'] }) },
  );

  expect(file?.writes).toEqual(['create', 'delete']);
});

test('a service that answers updates without the record is read', async ({ probeWrites }) => {
  const { file, stub } = await probeWrites({ isSilent: true, dropped: ['unitPrice'] });

  expect(writesOf(file, 'displayName')).toEqual(['create', 'update']);
  expect(writesOf(file, 'unitPrice')).toBeUndefined();
  expect(stub.requests.some(({ method }) => method === 'GET')).toBe(true);
});

test('a value that every new record has proves no create', async ({ probeWrites }) => {
  const { file } = await probeWrites(
    { defaults: { blocked: true, unitPrice: 1.5, displayName: 'Tributary' }, droppedByCreates: true },
    { draft: writableFile() },
  );

  for (const name of ['blocked', 'unitPrice', 'displayName'])
    expect(writesOf(file, name), name).toEqual(['update']);
});

test('a company that is not there ends the probe at once', async ({ probeWrites }) => {
  const { code, error, stub } = await probeWrites({
    intercept: () => ({
      status: 404,
      body: { error: { code: 'Internal_CompanyNotFound', message: 'no company' } },
    }),
  });

  expect({ code, error }).toEqual({
    code: 1,
    error: `No record of resources was made: the service has nothing at this address (404). Check --url, --route and the company ${probeCompany}.`,
  });
  expect(stub.requests).toHaveLength(1);
});

test('a failure in the middle deletes what was made, and writes nothing', async ({ probeWrites }) => {
  const { code, file, error, text, stub } = await probeWrites({
    intercept: ({ method }) =>
      method === 'PATCH' ? { status: 503, body: { error: { code: 'Any', message: 'fault' } } } : undefined,
  });

  expect({ code, file, error }).toEqual({
    code: 1,
    file: null,
    error: expect.stringMatching(/503\. fault\. Nothing was written\.$/),
  });
  expect(text).toMatch(/Deleted resources\([\w-]+\)\./);
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

  expect({ code, error }).toEqual({
    code: 1,
    error: expect.stringMatching(/may have been made.+ It was sent at [\dT:.Z-]+ with /),
  });
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
