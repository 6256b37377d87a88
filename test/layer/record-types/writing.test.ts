import { describe, expect } from 'vitest';
import { sandboxCompanyId as companyId } from '../../../sandbox/seed.ts';
import { type RecordKind, recordFiles, recordKinds } from '../../support/cases/record-kinds.ts';
import { inputTypeOf } from '../../support/input-types.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const settings = { RECORD_TYPES: recordFiles };

/** A layer of its own for each test: whether a set keeps client-supplied ids is remembered until the process ends. */
const test = testWith({}, settings).extend('fresh', async ({ sandbox }, { onCleanup }) => {
  const layer = await startTestLayer(sandbox.url, settings);
  onCleanup(() => layer.stop());
  return layer;
});

const employees = `/api/v2.0/companies(${companyId})/employees`;

const recordOf = ({ first, last, city, status }: RecordKind) =>
  `id nodeId etag number ${first} ${last} ${city} ${status}`;

async function mutate(layer: TestLayer, kind: RecordKind, name: string, input: object) {
  const ends = name.startsWith('delete') ? 'deletedId deletedNodeId' : '';
  const data = await layer.read(
    `mutation ($input: ${inputTypeOf(name)}!) { ${name}(input: $input) {
      ${kind.one} { ${recordOf(kind)} } ${ends} userErrors { code message path }
    } }`,
    { input },
  );
  return data[name];
}

const calls = async (sandbox: TestSandbox) => {
  const made = await sandbox.calls();
  await sandbox.forgetCalls();
  return made;
};
const methods = async (sandbox: TestSandbox) => (await calls(sandbox)).map(({ method }) => method);

describe.for(recordKinds)('a record type %s', ([, kind]) => {
  const { type, one, first, last, city, status } = kind;
  const values = { [first]: 'Ann', [last]: 'Brook', [city]: 'Oslo', [status]: 'Inactive' };

  test("is created, changed and deleted under its etag, each by one call with the upstream's names", async ({
    fresh,
    sandbox,
  }) => {
    const created = await mutate(fresh, kind, `create${type}`, values);
    const [post] = await calls(sandbox);
    const { id, etag } = created[one];
    const patch = { [city]: null, [status]: 'Terminated' };
    const updated = await mutate(fresh, kind, `update${type}`, { id, ifMatch: etag, patch });
    const [change] = await calls(sandbox);
    const stale = await mutate(fresh, kind, `update${type}`, {
      id,
      ifMatch: etag,
      patch: { [last]: 'Pond' },
    });
    await sandbox.forgetCalls();
    const deleted = await mutate(fresh, kind, `delete${type}`, { id, ifMatch: updated[one].etag });

    expect(created).toMatchObject({ [one]: values, userErrors: [] });
    expect(JSON.parse(post?.body ?? '')).toEqual({
      id: expect.any(String),
      givenName: 'Ann',
      surname: 'Brook',
      city: 'Oslo',
      status: 'Inactive',
    });
    expect(updated).toMatchObject({ [one]: { id, [city]: null, [status]: 'Terminated' }, userErrors: [] });
    expect(change).toMatchObject({
      method: 'PATCH',
      path: `${employees}(${id})`,
      headers: { 'if-match': etag },
    });
    expect(JSON.parse(change?.body ?? '')).toEqual({ city: '', status: 'Terminated' });
    expect(stale).toMatchObject({ userErrors: [{ code: 'STALE_RECORD' }] });
    expect(deleted).toEqual({
      [one]: null,
      deletedId: id,
      deletedNodeId: created[one].nodeId,
      userErrors: [],
    });
    expect(await methods(sandbox)).toEqual(['DELETE']);
  });
});
