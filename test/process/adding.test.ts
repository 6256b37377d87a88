import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { documentOf } from '../support/cases/metadata.ts';
import { fixture } from '../support/fixture.ts';
import { runTributary } from '../support/process.ts';

const test = base.extend(
  'folder',
  fixture(async ({ onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-add-'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    return folder;
  }),
);

test('add --help shows examples, and wrong arguments end with 2 and one sentence', async () => {
  const help = await runTributary(['add', '--help']);
  const wrong = await runTributary(['add', 'resources']);

  expect(help.code).toBe(0);
  expect(help.stdout).toContain('tributary add vendors --metadata metadata.xml');
  expect(wrong).toEqual({
    code: 2,
    stdout: '',
    stderr: "error: required option '--metadata <file>' not specified\n",
  });
});

test.for([
  ['add'],
  ['add', 'vendors', '--nonsense'],
  ['add', 'vendors', 'contacts'],
  ['add', 'vendors', '--metadata'],
  ['check', '--nonsense'],
  ['serve', 'more'],
])('%j are wrong arguments, which end with 2', async (args) => {
  const { code, stdout, stderr } = await runTributary(args);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^error: .+\n$/);
});

test('a type that is called like one of the graph is refused by check', async ({ folder }) => {
  const metadata = join(folder, 'metadata.xml');
  const type =
    '<EntityType Name="SalesDocument"><Key><PropertyRef Name="id"/></Key><Property Name="id" Type="Edm.Guid"/></EntityType>';
  const set = '<EntitySet Name="salesDocuments" EntityType="Test.SalesDocument"/>';
  writeFileSync(metadata, documentOf(type, set));

  const added = await runTributary([...['add', 'salesDocuments', '--out', folder, '--metadata', metadata]]);
  const checked = await runTributary(['check'], {
    BUSINESS_URL: 'https://business.example',
    RECORD_TYPES: join(folder, 'salesDocuments.graphql'),
  });

  expect(added.code).toBe(0);
  expect(checked.code).toBe(2);
  expect(checked.stderr + checked.stdout).toContain('salesDocuments.graphql:');
});
