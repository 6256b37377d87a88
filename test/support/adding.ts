import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { addRecordTypes } from '../../src/adding/add.ts';
import { AddingError } from '../../src/adding/adding-error.ts';
import type { DraftOptions, DraftRecordFiles } from '../../src/adding/draft.ts';
import type { AddArguments, AddingContext } from '../../src/adding/request.ts';
import type { RecordTypeFile } from '../../src/business/record-files/record-file.ts';
import { recordTypes } from '../../src/business/records/index.ts';

const root = new URL('../../', import.meta.url);

/** A record file as a draft would be: of a set that the project does not have. */
export function resourceFile(changes: Partial<RecordTypeFile> = {}): RecordTypeFile {
  return {
    version: 1,
    type: 'Resource',
    description: 'Resource.',
    names: { one: 'resource', many: 'resources', byNumber: 'resourceByNumber' },
    texts: { one: 'a resource', many: 'resources' },
    route: 'v2.0',
    entitySet: 'resources',
    fields: {
      id: { kind: 'uuid', description: 'The GUID.' },
      number: { kind: 'code', description: 'Number.', canFilter: false, canSort: false },
      displayName: { kind: 'text', description: 'Display name.', canFilter: false, canSort: false },
      type: { kind: 'choice', enum: 'ResourceType', description: 'Type.', canFilter: false, canSort: false },
      unitPrice: { kind: 'decimal', description: 'Unit price.', canFilter: false, canSort: false },
      blocked: { kind: 'boolean', description: 'Blocked.', canFilter: false, canSort: false },
      itemId: { kind: 'uuid', description: 'Item id.', canFilter: false, canSort: false },
      lastModifiedDateTime: {
        kind: 'dateTime',
        description: 'Last change.',
        canFilter: false,
        canSort: false,
      },
    },
    enums: {
      ResourceType: {
        description: 'What a resource is.',
        members: {
          PERSON: { word: 'Person', description: 'Person.' },
          MACHINE: { word: 'Machine', description: 'Machine.' },
        },
      },
    },
    relations: { item: { type: 'Item', description: 'Its item.', idField: 'itemId', navigation: 'item' } },
    origin: { metadata: 'metadata.xml', date: '2026-01-05', notes: ['Not probed.'] },
    ...changes,
  };
}

interface AddingFixture {
  readonly folder: string;
  /** What the command prints, and how it ends. */
  add(args: AddArguments, today?: string): Promise<{ code: number; text: string; error: string }>;
  setDraft(draft: RecordTypeFile | DraftRecordFiles): void;
  readonly drafted: readonly DraftOptions[];
  read(path: string): string;
  write(path: string, text: string): void;
  /** Every file with its text, to compare before with after. */
  snapshot(): Readonly<Record<string, string>>;
  remove(): void;
}

/** A folder with the files of a checkout that the command reads, and the command with a draft of the test. */
export function createAddingFixture(): AddingFixture {
  const folder = mkdtempSync(join(tmpdir(), 'adding-'));
  const copy = (path: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(new URL(path, root), join(folder, path));
  };
  for (const path of ['sandbox/business/entity-sets.ts', 'docs/record-types.md', 'package.json']) copy(path);
  // The set that tests add, which the sandbox has.
  const registry = join(folder, 'sandbox/business/entity-sets.ts');
  const others = readFileSync(registry, 'utf8')
    .split('\n')
    .filter((line) => !/\bresources\b/.test(line));
  writeFileSync(registry, others.join('\n'));
  writeFileSync(join(folder, 'metadata.xml'), '<edmx:Edmx/>');
  let draft: DraftRecordFiles = () => ({ files: [resourceFile()], notes: [] });
  const drafted: DraftOptions[] = [];
  const list = (): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      statSync(join(folder, path)).isFile(),
    );
  return {
    folder,
    drafted,
    async add(args, today = '2026-02-01') {
      let text = '';
      const print = (line: string) => {
        text += `${line}\n`;
      };
      const context: AddingContext = {
        folder,
        draft: (csdl, entitySets, options) => {
          drafted.push(options);
          return draft(csdl, entitySets, options);
        },
        recordTypes,
        productFiles: [],
        typeNames: new Set(['Query', 'Customer', 'Item']),
        fetch: (url, init) => fetch(url, init),
        today,
        print,
        note: print,
      };
      try {
        return {
          code: await addRecordTypes(
            { ...(args.url ? {} : { metadata: join(folder, 'metadata.xml') }), ...args },
            context,
          ),
          text,
          error: '',
        };
      } catch (error) {
        if (!(error instanceof AddingError)) throw error;
        return { code: error.exitCode, text, error: error.message };
      }
    },
    setDraft(next) {
      draft = typeof next === 'function' ? next : () => ({ files: [next], notes: [] });
    },
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    write: (path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    snapshot: () =>
      Object.fromEntries(list().map((path) => [path, readFileSync(join(folder, path), 'utf8')])),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
