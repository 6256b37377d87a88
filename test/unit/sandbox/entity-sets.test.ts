import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entitySets } from '../../../sandbox/business/entity-sets.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';

test('every entity set that a file in sandbox/business/sets exports is in the list of entity-sets.ts', async () => {
  const files = readdirSync('sandbox/business/sets');
  const modules = await Promise.all(files.map((file) => import(`../../../sandbox/business/sets/${file}`)));
  const exported = modules.flatMap((one) => Object.values(one)).filter((one) => isEntitySet(one));

  expect(new Set(entitySets)).toEqual(new Set(exported));
});

const isEntitySet = (value: unknown) => typeof value === 'object' && value !== null && 'typeName' in value;

test('what a set refers to and expands is a set of the list', () => {
  const names = entitySets.map(({ name }) => name);
  const targets = entitySets.flatMap(({ navigations, references }) => [...navigations, ...references]);

  expect(names).toEqual(expect.arrayContaining(targets.map(({ target }) => target)));
});

test('every set with an address of its own is served', async ({ onTestFinished }) => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.stop());
  const sets = entitySets.filter(({ hasAddress, linesOf }) => hasAddress && linesOf === undefined);

  for (const { name, fields, route = 'v2.0' } of sets) {
    const url = `${sandbox.url}/api/${route}/companies(${sandboxCompanyId})/${name}?$top=1`;
    const response = await fetch(url, { headers: { authorization: 'Bearer clerk' } });
    expect([name, response.status]).toEqual([name, 200]);
    // The first field is the key.
    expect(await response.json()).toMatchObject({
      value: [{ [String(fields[0]?.name)]: expect.anything() }],
    });
  }
});
