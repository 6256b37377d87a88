import type { FileField, RecordTypeFile } from '../business/record-files/record-file.ts';
import { seededRows, seedValue, wordsOf } from './seed-values.ts';

/*
 * The text of a set of the sandbox. It holds no text of metadata outside of string literals: names that become code match
 * `identifier`, everything else goes through `literal`.
 */

const identifier = /^[a-z][A-Za-z0-9]{0,99}$/;
const reserved = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield'.split(
    ' ',
  ),
);
// What the text itself imports and uses.
const used = new Set(
  'booleanField choiceField codeField computed dateField dateTimeField decimalField entitySet guidField integerField readOnly seedRows textField'.split(
    ' ',
  ),
);

/** The name of a set in code, and its file. */
export interface SetNames {
  readonly identifier: string;
  /** Below `sandbox/business/sets`, without an extension. */
  readonly file: string;
}

const isCodeName = (entitySet: string): boolean => identifier.test(entitySet);

export function nameSet(entitySet: string): SetNames {
  if (!isCodeName(entitySet)) throw new TypeError(`${JSON.stringify(entitySet)} cannot be a name in code.`);
  const isTaken = reserved.has(entitySet) || used.has(entitySet);
  const file = entitySet.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`);
  return { identifier: isTaken ? `${entitySet}Set` : entitySet, file };
}

const literal = (value: unknown): string =>
  (JSON.stringify(value) ?? 'undefined').replace(/[\u2028\u2029]/g, (character) =>
    character === '\u2028' ? '\\u2028' : '\\u2029',
  );

const lengths = { text: 100, word: 50, code: 20 };

/** The text of `sandbox/business/sets/….ts`. `targets` are the sets that relations can refer to, by type. */
export function sandboxSetText(file: RecordTypeFile, targets: ReadonlyMap<string, string>): string {
  const { identifier: name } = nameSet(file.entitySet);
  const typeName = file.type.charAt(0).toLowerCase() + file.type.slice(1);
  const fields = Object.entries(file.fields).filter(([, { source }]) => source === undefined);
  const builders = new Set(['entitySet', 'guidField', 'readOnly']);
  const lines = fields
    .filter(([field, { column }]) => (column ?? field) !== 'id')
    .map(([field, about]) => fieldText(file, field, about, builders));
  const navigations = navigationsOf(file, targets);
  const references = navigations.map(({ from, target }) => `${literal(from)}: ${literal(target)}`);
  const writes = (file.writes ?? []).map(
    (write) => ({ create: 'POST', update: 'PATCH', delete: 'DELETE' })[write],
  );
  const keyField =
    fields.map(([field, { column }]) => column ?? field).find((column) => /^(number|code)$/.test(column)) ??
    '';
  const rows = Array.from({ length: seededRows }, (_, index) => {
    const values = fields.flatMap((entry) => {
      const value = seedValue(file, entry, index);
      return value === undefined ? [] : [`${literal(entry[1].column ?? entry[0])}: ${literal(value)}`];
    });
    return `{ ${values.join(', ')} }`;
  });
  return `import { seedRows } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';
import { ${[...builders].sort().join(', ')} } from '../entity-set.ts';

/** Made from the metadata of the service by \`tributary add ${file.entitySet}\`. */
export const ${name}: EntitySet = entitySet(
  ${literal(file.entitySet)},
  ${literal(typeName)},
  [
    ${["guidField('id', readOnly)", ...lines].join(',\n    ')},
  ],
  {
${[
  file.watched ? '    isSubscribable: true,\n' : '',
  writes.length > 0 ? `    writes: [${writes.map(literal).join(', ')}],\n` : '',
  navigations.length > 0 ? `    navigations: [${navigations.map(literal).join(', ')}],\n` : '',
].join('')}    seed: seedRows(${literal(keyField)}, [${rows.join(', ')}]${
    references.length > 0 ? `, undefined, { ${references.join(', ')} }` : ''
  }),
  },
);
`;
}

/** Why the sandbox's code cannot have a set; null where it can. */
export function whyNotServed({ route, key, entitySet }: RecordTypeFile): string | null {
  if (key && !(key.length === 1 && key[0]?.column === 'id' && key[0].kind === 'uuid'))
    return 'its key is not `id`';
  if (route !== 'v2.0') return `its route is ${route}`;
  return isCodeName(entitySet)
    ? null
    : 'its name is no name of code: English letters and digits, the first in lower case';
}

interface SetNavigation {
  readonly name: string;
  readonly target: string;
  readonly from: string;
}

/** Relations with a navigation and an id, to sets that the sandbox has. */
function navigationsOf(file: RecordTypeFile, targets: ReadonlyMap<string, string>): SetNavigation[] {
  return Object.values(file.relations ?? {}).flatMap(({ navigation, idField, type }) => {
    const target = targets.get(type);
    const field =
      idField !== undefined && Object.hasOwn(file.fields, idField) ? file.fields[idField] : undefined;
    if (navigation === undefined || target === undefined || !field || idField === undefined) return [];
    return [{ name: navigation, target, from: field.column ?? idField }];
  });
}

function fieldText(file: RecordTypeFile, name: string, field: FileField, builders: Set<string>): string {
  const column = field.column ?? name;
  const rules = [
    ...(field.writes?.length ? [] : ['readOnly']),
    ...(field.canFilter === false ? ['computed'] : []),
  ];
  const call = (builder: string, ...rest: readonly unknown[]) => {
    const needed = builder === 'dateTimeField' ? [] : rules;
    for (const each of [builder, ...needed]) builders.add(each);
    const rule = needed.length > 1 ? '{ ...readOnly, ...computed }' : needed[0];
    return `${builder}(${[literal(column), ...rest.map(literal), ...(rule ? [rule] : [])].join(', ')})`;
  };
  switch (field.kind) {
    case 'uuid':
      return call('guidField');
    case 'choice': {
      const words = wordsOf(file.enums ?? {}, field.enum ?? '');
      return words.length === 0 ? call('textField', lengths.word) : call('choiceField', words);
    }
    case 'text':
    case 'word':
      return call('textField', lengths[field.kind]);
    case 'code':
      return call('codeField', lengths.code);
    case 'int':
    case 'safeInt':
      return call('integerField');
    case 'decimal':
      return call('decimalField');
    case 'boolean':
      return call('booleanField');
    case 'date':
      return call('dateField');
    case 'dateTime':
      return call('dateTimeField');
    case 'object':
      return `{ name: ${literal(column)}, kind: 'object', isReadOnly: true }`;
  }
}
