import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entitySets } from '../../../sandbox/business/entity-sets.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';

const kebabCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

test('every file in sandbox/business/sets is an entity set of the list in entity-sets.ts', () => {
  const files = readdirSync('sandbox/business/sets');

  expect(entitySets.map(({ name }) => `${kebabCase(name)}.ts`).sort()).toEqual(files.sort());
});

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
