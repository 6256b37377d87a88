import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordTypeFile } from '../business/record-files/record-file.ts';
import { isJsonObject } from '../runtime/json.ts';
import { AddingError, usageError } from './adding-error.ts';
import { readTextOrNull } from './planned-files.ts';
import { isCodeName, nameSet } from './sandbox-code.ts';
import { parseOrNull } from './service.ts';

/** The files of a checkout that a record type is in. */
export const projectFiles = {
  record: (entitySet: string) => `schema/records/${entitySet}.json`,
  set: (entitySet: string) => `sandbox/business/sets/${nameSet(entitySet).file}.ts`,
  registry: 'sandbox/business/entity-sets.ts',
  page: 'docs/record-types.md',
} as const;

/** Throws where the folder is no checkout of the project: only there is anything but a record file written. */
export function requireCheckout(folder: string): void {
  const manifest = readTextOrNull(join(folder, 'package.json'));
  const parsed = manifest === null ? null : parseOrNull(manifest);
  const isOwn = isJsonObject(parsed) && parsed.name === 'tributary';
  if (isOwn && [projectFiles.registry, projectFiles.page].every((file) => existsSync(join(folder, file))))
    return;
  throw usageError(
    'This folder is not a checkout of Tributary. Run the command in one, or use --json to get the record file alone, for RECORD_TYPES.',
  );
}

/** The registry of the sandbox with one more set: its import in the order of the files, its entry at the end. */
export function addToRegistry(text: string, entitySet: string): string {
  const { identifier, file } = nameSet(entitySet);
  const line = `import { ${identifier} } from './sets/${file}.ts';`;
  if (text.includes(`from './sets/${file}.ts';`)) return text;
  const imports = [...text.matchAll(/^import \{ \w+ \} from '\.\/sets\/([\w-]+)\.ts';$/gm)];
  const list = /(export const entitySets: readonly EntitySet\[\] = \[\n)((?: {2}\w+,\n)*)(\];)/;
  const last = imports.at(-1);
  if (!last || !list.test(text))
    throw new AddingError(`${projectFiles.registry} has no list of sets that a line can be added to.`);
  const next = imports.find(([, other = '']) => other > file);
  const at = next ? next.index : last.index + last[0].length + 1;
  const withImport = `${text.slice(0, at)}${line}\n${text.slice(at)}`;
  return withImport.replace(
    list,
    (_all, head: string, entries: string, end: string) => `${head}${entries}  ${identifier},\n${end}`,
  );
}

const tableHead = /^\| type \| entity set \| .*\|\n\|[-| ]+\|\n/m;

/** The page with the row of a record type in its table: in the place of the row that it has, else at the end. */
export function addToPage(text: string, file: RecordTypeFile): string {
  const head = tableHead.exec(text);
  if (!head)
    throw new AddingError(
      `${projectFiles.page} has no table "type | entity set | …" that a row can be added to.`,
    );
  const start = head.index + head[0].length;
  const [rows = ''] = /^(?:\|.*\|\n)*/.exec(text.slice(start)) ?? [];
  const row = describeRow(file);
  const lines = rows.split('\n').slice(0, -1);
  const at = lines.findIndex((line) => line.startsWith(`| \`${file.type}\` |`));
  const next = at === -1 ? [...lines, row] : lines.with(at, row);
  return `${text.slice(0, start)}${next.map((line) => `${line}\n`).join('')}${text.slice(start + rows.length)}`;
}

// Names of record files hold no character that means anything in a table.
function describeRow({
  type,
  entitySet,
  route,
  names,
  relations = {},
  rows = {},
  writes = [],
}: RecordTypeFile) {
  const listed = (all: readonly string[]) =>
    all.length === 0 ? 'none' : all.map((one) => `\`${one}\``).join(', ');
  return `| ${[
    `\`${type}\``,
    `\`${entitySet}\``,
    `\`${route}\``,
    listed([names.one, names.many, ...(names.byNumber ? [names.byNumber] : [])]),
    listed([...Object.keys(relations), ...Object.keys(rows)]),
    writes.length === 0 ? 'none' : writes.join(', '),
  ].join(' | ')} |`;
}

/** The place of an entity set among those of the sandbox, by the text of the registry; -1 where it is none of them. */
export const placeInRegistry = (text: string, entitySet: string): number =>
  isCodeName(entitySet)
    ? [...text.matchAll(/^ {2}(\w+),$/gm)].findIndex(([, name]) => name === nameSet(entitySet).identifier)
    : -1;

/** The route of a set of the sandbox, by its text. */
export function readSetRoute(text: string): string {
  const [, name, quoted] = /^ {4}route: (?:(customRoute)|['"]([^'"]*)['"]),$/m.exec(text) ?? [];
  return name === undefined ? (quoted ?? 'v2.0') : 'contoso/app/v1.0';
}
