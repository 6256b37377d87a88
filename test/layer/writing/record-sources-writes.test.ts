import { describe, expect, onTestFinished, test } from 'vitest';
import { createRecordGraph } from '../../support/cases/record-graph.ts';
import { idOfThing, startThings, things, thingsSdl } from '../../support/cases/sourced-things.ts';

const payload = 'thing { id number name hazard etag } userErrors { code message path }';

async function start(options: Parameters<typeof startThings>[0] = {}) {
  const upstream = await startThings(options);
  onTestFinished(() => upstream.stop());
  const { query } = createRecordGraph({
    url: upstream.url,
    recordTypes: [things],
    sdl: thingsSdl,
    dialect: 'dynamics',
  });
  const id = idOfThing(1);
  const read = async (fields = 'name hazard etag', at = 1) =>
    (await query(`{ company { thing(id: "${idOfThing(at)}") { ${fields} } } }`)).data.company.thing;
  const update = async (ifMatch: string, patch: object, at = 1) => {
    const { data, errors } = await query(
      `mutation ($input: UpdateThingInput!) { updateThing(input: $input) { ${payload} } }`,
      { input: { id: idOfThing(at), ifMatch, patch } },
    );
    expect(errors).toBeUndefined();
    return data.updateThing;
  };
  const create = async (input: object) =>
    (
      await query(`mutation ($input: CreateThingInput!) { createThing(input: $input) { ${payload} } }`, {
        input,
      })
    ).data.createThing;
  /** The writes so far, by method and set. */
  const writes = () =>
    upstream.calls().flatMap((call) => {
      const [, method, set] = /^(POST|PATCH|DELETE) .*\)\/(\w+)/.exec(call) ?? [];
      return method ? [`${method} ${set}`] : [];
    });
  return { upstream, query, id, read, update, create, writes };
}

describe.each([false, true])('a change, with both sets of one row of the database: %s', (isSharedRow) => {
  test.each([
    [{ name: 'New' }, ['PATCH things']],
    [{ hazard: 'X' }, ['PATCH thingExtensions']],
    [{ hazard: 'X', name: 'New' }, ['PATCH things', 'PATCH thingExtensions']],
  ])('of %j goes to the sets that have the columns', async (patch, expected) => {
    const { read, update, writes, upstream } = await start({ isSharedRow });
    const { etag } = await read();
    upstream.forget();

    const changed = await update(etag, patch);

    expect(changed.userErrors).toEqual([]);
    expect(changed.thing).toMatchObject(patch);
    expect(writes()).toEqual(expected);
    // The payload's `etag` is that of the record after all writes: the next change needs no other.
    expect((await update(changed.thing.etag, { name: 'Again', hazard: 'Y' })).userErrors).toEqual([]);
  });

  test('with `*` reads no versions', async () => {
    const { update, upstream } = await start({ isSharedRow });

    const { userErrors } = await update('*', { hazard: 'X', name: 'New' });

    expect(userErrors).toEqual([]);
    expect(upstream.requests.slice(0, 2).map(({ method }) => method)).toEqual(['PATCH', 'PATCH']);
  });

  test('of a source that has changed changes nothing, neither there nor in the own set', async () => {
    const { read, update, writes, upstream } = await start({ isSharedRow });
    const { etag } = await read();
    await update('*', { hazard: 'Z' });
    upstream.forget();

    const { thing, userErrors } = await update(etag, { hazard: 'X', name: 'New' });

    expect(userErrors).toMatchObject([{ code: 'STALE_RECORD', path: ['input', 'ifMatch'] }]);
    expect(thing).toMatchObject({ name: 'Thing 1', hazard: 'Z' });
    expect(writes()).toEqual([]);
  });

  test('whose two responses are lost is settled in each set', async () => {
    const { read, update, upstream } = await start({ isSharedRow });
    const { etag } = await read();
    upstream.loseNext('PATCH');
    upstream.loseNext('PATCH');

    const { thing, userErrors } = await update(etag, { hazard: 'X', name: 'New' });

    expect(userErrors).toEqual([]);
    expect(thing).toMatchObject({ hazard: 'X', name: 'New' });
  });
});

describe('a change of two sets', () => {
  test('of which the source refuses says what was written and what was not', async () => {
    const { update, read, upstream } = await start();
    upstream.fail('/thingExtensions(', 400, 'PATCH');

    const { userErrors } = await update('*', { name: 'New', price: '2', hazard: 'X' });

    expect(userErrors).toHaveLength(1);
    expect(userErrors[0]).toMatchObject({ code: 'INVALID_INPUT' });
    expect(userErrors[0].message).toMatch(/^`name` and `price` was written; `hazard` was not written\./);
    expect((await read('name')).name).toBe('New');
  });

  test('of which the source does not answer says that its part is unknown', async () => {
    const { update, upstream } = await start();
    upstream.fail('/thingExtensions(', 504, 'PATCH');

    const { userErrors } = await update('*', { name: 'New', hazard: 'X' });

    expect(userErrors).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }]);
    expect(userErrors[0].message).toMatch(/^`name` was written; whether `hazard` was is unknown\./);
  });

  test('of which the own set refuses sends nothing to the source', async () => {
    const { update, upstream, writes } = await start();
    upstream.fail('/things(', 400);

    const { userErrors } = await update('*', { name: 'New', hazard: 'X' });

    expect(userErrors).toMatchObject([{ code: 'INVALID_INPUT' }]);
    expect(userErrors[0].message).toMatch(/`hazard` was not sent\.$/);
    expect(writes()).toEqual(['PATCH things']);
  });

  test('needs an `etag` that was read with the source', async () => {
    const { read, update, writes } = await start();
    const { etag } = await read('name etag');

    expect(etag).toBe('W/"0"');
    const { userErrors } = await update(etag, { hazard: 'X' });

    expect(userErrors).toMatchObject([{ code: 'INVALID_INPUT', path: ['input', 'ifMatch'] }]);
    expect(userErrors[0].message).toContain('Read `etag` together with a field of the same set');
    expect(writes()).toEqual([]);
  });

  test.each([
    ['*', [1, 3]],
    ['as read', [1, 3]],
  ])(
    'of the source alone with `ifMatch` %s writes nothing where the record is gone',
    async (ifMatch, gone) => {
      const { read, update, writes, upstream } = await start();
      const etags = await Promise.all(gone.map(async (at) => (await read('hazard etag', at)).etag));
      upstream.remove('things', gone.map(idOfThing));

      for (const [index, at] of gone.entries()) {
        const { thing, userErrors } = await update(ifMatch === '*' ? '*' : etags[index], { hazard: 'X' }, at);

        expect(thing).toBeNull();
        expect(userErrors).toEqual([expect.objectContaining({ code: 'NOT_FOUND', path: ['input', 'id'] })]);
      }
      expect(writes()).toEqual([]);
    },
  );

  test('of the source alone writes nothing where the own set does not answer', async () => {
    const { update, writes, upstream } = await start();
    upstream.fail('/things', 500);

    expect((await update('*', { hazard: 'X' })).userErrors).toMatchObject([{ code: 'CONFLICT' }]);
    expect(writes()).toEqual([]);
  });

  test('whose source has no row of the record gives it one', async () => {
    const { read, update, writes } = await start();
    const { etag } = await read('hazard etag', 3);

    const { thing, userErrors } = await update(etag, { hazard: 'X' }, 3);

    expect(userErrors).toEqual([]);
    expect(thing).toMatchObject({ id: idOfThing(3), hazard: 'X' });
    expect(writes()).toEqual(['POST thingExtensions']);
  });
});

describe('a create', () => {
  test('goes to the own set first, then to the source with the same id', async () => {
    const { create, writes } = await start();

    const { thing, userErrors } = await create({ id: idOfThing(50), number: 'N', name: 'New', hazard: 'X' });

    expect(userErrors).toEqual([]);
    expect(thing).toMatchObject({ id: idOfThing(50), number: 'N', hazard: 'X' });
    // Where both are one row, the row is there already.
    expect(writes()).toEqual(['POST things', 'PATCH thingExtensions', 'POST thingExtensions']);
  });

  test('whose source fails leaves the record, and says so', async () => {
    const { create, upstream } = await start();
    upstream.fail('/thingExtensions', 400, 'PATCH');

    const { thing, userErrors } = await create({ number: 'N', name: 'New', hazard: 'X' });

    expect(thing).toMatchObject({ name: 'New', hazard: null });
    expect(userErrors).toMatchObject([{ code: 'INVALID_INPUT' }]);
    expect(userErrors[0].message).toMatch(/^The record was created; `hazard` was not written\./);
  });

  test('without fields of the source sends it nothing', async () => {
    const { create, writes } = await start();

    await create({ number: 'N', name: 'New' });

    expect(writes()).toEqual(['POST things']);
  });
});

test('a delete takes an `etag` of both sets, and deletes the record of its own set', async () => {
  const { read, query, id, writes } = await start();
  const { etag } = await read();

  const { data } = await query(
    'mutation ($input: DeleteThingInput!) { deleteThing(input: $input) { deletedId userErrors { code } } }',
    { input: { id, ifMatch: etag } },
  );

  expect(data.deleteThing).toEqual({ deletedId: id, userErrors: [] });
  expect(writes()).toEqual(['DELETE things']);
});

test('changes of many records are one batch of each set', async () => {
  const { query, upstream } = await start();
  const entries = [1, 2, 4].map((at) => ({
    id: idOfThing(at),
    ifMatch: '*',
    patch: { name: 'New', hazard: 'X' },
  }));

  const { data } = await query(
    'mutation ($input: UpdateThingsInput!) { updateThings(input: $input) { results { thing { name hazard } userErrors { code } } } }',
    { input: { entries } },
  );

  expect(data.updateThings.results).toEqual(
    Array(3).fill({ thing: { name: 'New', hazard: 'X' }, userErrors: [] }),
  );
  expect(upstream.requests.map(({ method, target }) => `${method} ${target.replace(/\?.*/, '')}`)).toEqual([
    'POST /api/v2.0/$batch',
    'POST /api/contoso/app/v1.0/$batch',
    expect.stringMatching(/^GET .*thing/),
    expect.stringMatching(/^GET .*thing/),
  ]);
});

test('a transaction of several sets is refused before anything is sent', async () => {
  const { query, upstream } = await start();
  const change = { id: idOfThing(1), ifMatch: '*', patch: { name: 'New', hazard: 'X' } };

  const { errors } = await query(
    'mutation ($input: BatchInput!) { batch(input: $input) { results { deletedId } } }',
    {
      input: { entries: [{ updateThing: change }], atomic: true },
    },
  );

  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(upstream.calls()).toEqual([]);
});
