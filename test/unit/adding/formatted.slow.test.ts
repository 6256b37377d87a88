import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { createAddingFixture } from '../../support/adding.ts';
import { fixture } from '../../support/fixture.ts';

const test = base.extend(
  'checkout',
  fixture(async ({ onCleanup }) => {
    const made = createAddingFixture();
    onCleanup(() => made.remove());
    return made;
  }),
);

const entitySets = ['resources'];
const set = 'sandbox/business/sets/resources.ts';

test('formats what it writes with the Biome of the project', async ({ checkout }) => {
  symlinkSync(new URL('../../../node_modules', import.meta.url), join(checkout.folder, 'node_modules'));
  const { vcs: _vcs, ...biome } = JSON.parse(
    readFileSync(new URL('../../../biome.json', import.meta.url), 'utf8'),
  );
  checkout.write('biome.json', JSON.stringify(biome));

  const { code } = await checkout.add({ entitySets });
  const again = await checkout.add({ entitySets });

  expect([code, again.text]).toEqual([0, 'Nothing to do: everything is as the metadata says.\n']);
  expect(checkout.read(set)).toContain(
    "choiceField('type', ['Person', 'Machine'], { ...readOnly, ...computed }),",
  );
});
