import { readFileSync } from 'node:fs';

/** A table of the source document, with the line that introduces it. */
interface Table {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A field of the source document; fields of an object described in the same cell are below it. */
export interface DocumentField {
  readonly name: string;
  readonly type: string;
  readonly fields: readonly DocumentField[];
}

export const document = readFileSync(new URL('../../../docs/upstream-contract.md', import.meta.url), 'utf8');

/** Every table of the document. */
function tablesOf(markdown: string): Table[] {
  const tables: { title: string; lines: string[] }[] = [];
  let title = '';
  let isInTable = false;
  for (const line of markdown.split('\n')) {
    const isRow = line.startsWith('|');
    if (isRow && !isInTable) tables.push({ title, lines: [] });
    if (isRow) tables.at(-1)?.lines.push(line);
    else if (line.trim() !== '') title = line.replace(/^#+ /, '');
    isInTable = isRow;
  }
  return tables.map(({ title, lines }) => {
    const [header = [], , ...rows] = lines.map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    return { title, header, rows };
  });
}

/** The one table whose introduction begins like this. */
export function tableOf(titleStart: string): Table {
  const [table, ...others] = tablesOf(document).filter(({ title }) => title.startsWith(titleStart));
  if (!table || others.length > 0) throw new Error(`the document has no one table "${titleStart}"`);
  return table;
}

/** The fields of a table whose first two columns are names and type. */
export function fieldsOf({ title, header, rows }: Table): DocumentField[] {
  if (header[0] !== 'Field' || header[1] !== 'Type') throw new Error(`"${title}" is no table of fields`);
  return rows.flatMap(([names = '', type = '', notes = '']) =>
    names.split(', ').map((name) => ({ name, type, fields: inlineFields(type, notes) })),
  );
}

/** `array of {a string, b int32}`, `object {a string}`, `X[] (fields: a string, b object)`, or an object's notes. */
function inlineFields(type: string, notes: string): DocumentField[] {
  const listed = /^(?:array of|object) \{([^}]*)\}/.exec(type) ?? /\(fields: ([^)]*)\)/.exec(type);
  if (listed) return listedFields(listed[1] as string);
  return type === 'object' ? describedFields(notes) : [];
}

function listedFields(list: string): DocumentField[] {
  return list.split(', ').map((entry) => {
    const [name = '', type = ''] = entry.split(' ');
    return { name, type, fields: [] };
  });
}

// `one field, message (string)`; `actions (array of {actionText string, groupId int32}), localeCode (string)`
function describedFields(notes: string): DocumentField[] {
  return [...notes.matchAll(/(\w+) \(([^)]*)\)/g)].map(([, name = '', type = '']) => ({
    name,
    type,
    fields: inlineFields(type, ''),
  }));
}
