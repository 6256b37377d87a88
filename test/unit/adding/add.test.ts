import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { type AddArguments, addRecordType } from '../../../src/adding/add.ts';
import { AddingError } from '../../../src/adding/xml.ts';
import { documentOf, knownType } from '../../support/cases/metadata.ts';
import { fixture } from '../../support/fixture.ts';

const csdl = documentOf(
  `<EntityType Name="resource"><Key><PropertyRef Name="id"/></Key><Property Name="id" Type="Edm.Guid" Nullable="false"/>
   <Property Name="displayName" Type="Edm.String" MaxLength="100"/></EntityType>`,
  '<EntitySet Name="resources" EntityType="Test.resource"/>',
);

const test = base.extend(
  'adding',
  fixture(async ({ onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'adding-'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    const metadata = join(folder, 'metadata.xml');
    writeFileSync(metadata, csdl);
    const out = join(folder, 'records');
    return {
      folder,
      out,
      metadata,
      /** How the command ends, and what it says. */
      add(args: Partial<AddArguments> = {}) {
        const known = [knownType('Customer', 'customers')];
        try {
          const text = addRecordType({ entitySet: 'resources', metadata, out, ...args }, known);
          return { code: 0, text, error: '' };
        } catch (error) {
          if (!(error instanceof AddingError)) throw error;
          return { code: error.exitCode, text: '', error: error.message };
        }
      },
    };
  }),
);

test('writes one file, and lists what a person has to review', ({ adding }) => {
  const { code, text } = adding.add();

  expect(code).toBe(0);
  expect(readFileSync(join(adding.out, 'resources.graphql'), 'utf8')).toMatch(
    /^# It is read only: .*\n(# .*\n)+\n"A resource\."\ntype Resource @record\(set: "resources"\) \{\n {2}"Display name\."\n {2}displayName: String\n\}\n$/,
  );
  expect(readdirSync(adding.out)).toEqual(['resources.graphql']);
  expect(text).toMatch(
    /^Wrote .*resources\.graphql\. Review it before RECORD_TYPES names it:\n- It is read only: /,
  );
});

test('a file that exists is not overwritten', ({ adding }) => {
  adding.add();
  writeFileSync(join(adding.out, 'resources.graphql'), 'by hand');

  const { code, error } = adding.add();

  expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('is not overwritten') });
  expect(readFileSync(join(adding.out, 'resources.graphql'), 'utf8')).toBe('by hand');
});

test.for([
  ['an entity set of the graph', { entitySet: 'customers' }, 'is the type Customer of the graph already'],
  ['a file that is not there', { metadata: '/nowhere.xml' }, 'cannot be read: ENOENT'],
] as const)('wrong arguments end with 2: %s', ([, args, said], { adding }) => {
  const { code, error } = adding.add(args as Partial<AddArguments>);

  expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(said) });
  expect(readdirSync(adding.folder)).toEqual(['metadata.xml']);
});
