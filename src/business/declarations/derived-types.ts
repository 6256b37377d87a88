import {
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
} from 'graphql';
import {
  directive,
  enumType,
  extendType,
  field,
  input,
  inputType,
  listArguments,
  namedType,
  objectType,
  oneOf,
} from '../../graph/definitions.ts';
import { writeName } from '../mutations/mutations.ts';
import { toEnumMember, toOrderMembers } from '../reading/filters.ts';
import type { RecordTypeDescriptor } from '../records/record-type.ts';
import {
  collectDeclarations,
  columnsOf,
  commonFields,
  type DeclarationFile,
  type Declarations,
  type DeclaredField,
  type DeclaredType,
  namesOf,
  plainDirectives,
  readField,
} from './declarations.ts';
import { deriveMutations, deriveRowInputs, idInput } from './derived-mutations.ts';
import { capitalize, nounOf, toPhrase } from './words.ts';

/** Defines a field without the directives of declarations. The type of a list becomes its connection. */
const toField = ({ node, list, name, description, type }: DeclaredField): FieldDefinitionNode =>
  list ? listField(description, name, type, node.arguments) : { ...node, ...plainDirectives(node) };

/** The definitions of files without declared types, lists, and the directives of declarations. */
export function withoutDeclared(files: readonly DeclarationFile[]): readonly DocumentNode[] {
  const { types, lists } = collectDeclarations(files);
  const derived = new Set(lists.map(({ field: list }) => list.node));
  return files.map(({ document }) => ({
    ...document,
    definitions: document.definitions.flatMap((node): readonly DefinitionNode[] => {
      if (node.kind === Kind.OBJECT_TYPE_DEFINITION && types.has(node.name.value)) return [];
      if (node.kind === Kind.INTERFACE_TYPE_DEFINITION)
        return [{ ...node, fields: node.fields?.map((one) => toField(readField(one))) ?? [] }];
      if (node.kind !== Kind.OBJECT_TYPE_EXTENSION) return [node];
      const fields = (node.fields ?? []).filter((one) => !derived.has(one));
      return fields.length === 0 ? [] : [{ ...node, fields }];
    }),
  }));
}

/** The definitions of a declared type, and all definitions that derive from it. */
export function deriveTypes(type: DeclaredType, declarations: Declarations): DocumentNode {
  const definitions = type.record
    ? [
        recordType(type),
        ...companyFields(type, declarations),
        ...listTypes(type),
        ...deriveMutations(type, declarations),
      ]
    : [rowType(type), ...deriveRowInputs(type, declarations)];
  return { kind: Kind.DOCUMENT, definitions };
}

/** The definitions of the lists of `extend type`. */
export const deriveLists = ({ lists, types }: Declarations): DocumentNode => ({
  kind: Kind.DOCUMENT,
  definitions: lists
    .filter(({ owner, field: list }) => !types.get(owner)?.fields.some(({ node }) => node === list.node))
    .map(({ owner, field: list }) =>
      extendType(owner, [listField(list.description, list.name, list.type, list.node.arguments)]),
    ),
});

const listField = (
  description: string,
  name: string,
  type: string,
  more: readonly InputValueDefinitionNode[] = [],
): FieldDefinitionNode =>
  field(description, name, `${type}Connection`, [...listArguments(`${type}Filter`, `${type}Order`), ...more]);

function recordType(type: DeclaredType): DefinitionNode {
  const { byNumber } = namesOf(type);
  if (type.name === 'Company')
    return {
      ...type.node,
      directives: [directive('key', 'fields', 'id'), ...plainDirectives(type.node).directives],
      fields: type.fields.map(toField),
    };
  const isVersioned = type.record?.write.some((write) => write !== 'CREATE');
  const commonDefinitions = [
    field('The company the record belongs to.', 'companyId', 'UUID!'),
    field('The company the record belongs to, with its other records.', 'company', 'Company'),
    field(`The GUID that never changes${byNumber ? ', unlike the number' : ''}.`, 'id', 'UUID!'),
    field(
      `The record's entity tag${isVersioned ? ', to pass as `ifMatch`' : '; it changes whenever the record changes'}.`,
      'etag',
      'String',
    ),
  ];
  const own = new Map(type.fields.map((one) => [one.name, one]));
  return {
    ...type.node,
    directives: [
      directive('key', 'fields', 'companyId id'),
      ...(byNumber ? [directive('key', 'fields', 'companyId number')] : []),
      ...plainDirectives(type.node).directives,
    ],
    fields: [
      ...commonDefinitions.map((one) => {
        const override = own.get(one.name.value);
        return override ? toField(override) : one;
      }),
      ...type.fields.filter(({ name }) => name !== 'id' && !commonFields.has(name)).map(toField),
    ],
  };
}

const rowType = ({ node, fields }: DeclaredType): DefinitionNode => ({
  ...node,
  ...plainDirectives(node),
  fields: fields.map(toField),
});

function companyFields(type: DeclaredType, { explicitFields }: Declarations): readonly DefinitionNode[] {
  if (type.name === 'Company') return [];
  const { one, many, byNumber } = namesOf(type);
  const noun = toPhrase(type.name);
  const derived = [
    field(`One ${noun} by id; null when there is none.`, one, type.name, [idInput(noun)]),
    ...(byNumber
      ? [
          field(`One ${noun} by the number shown to users; null when there is none.`, byNumber, type.name, [
            input('As users know it; case makes no difference.', 'number', 'String!'),
          ]),
        ]
      : []),
    listField(
      `The company's ${toPhrase(many)}, in the upstream's order unless \`orderBy\` is given.`,
      many,
      type.name,
    ),
  ].filter(({ name }) => !explicitFields.has(`Company.${name.value}`));
  return derived.length === 0 ? [] : [extendType('Company', derived)];
}

/** Every list can be filtered and sorted by `id`. */
const idField = readField(field(null, 'id', 'UUID!'));

const isWord = ({ column }: DeclaredField): boolean =>
  column?.kind === 'WORD' || column?.kind === 'WORD_OR_BLANK';

function listTypes(type: DeclaredType): readonly DefinitionNode[] {
  const { name } = type;
  const many = toPhrase(namesOf(type).many);
  const { directives: given } = plainDirectives(type.node);
  const age = given.filter(({ name: { value } }) => value === 'cacheControl');
  const columns = [idField, ...columnsOf(type).filter((one) => one.name !== 'id' && one.type !== 'JSON')];
  return [
    objectType(
      `A page of ${many}.`,
      `${name}Connection`,
      [
        field("The page's rows, each with the cursor that continues after it.", 'edges', `[${name}Edge!]!`),
        field("The page's rows alone.", 'nodes', `[${name}!]!`),
        field('The position of this page in the list.', 'pageInfo', 'PageInfo!'),
        field('How many rows the whole list has; counted only when selected.', 'totalCount', 'Int'),
      ],
      age,
    ),
    objectType(
      `${capitalize(nounOf(type))} in a page.`,
      `${name}Edge`,
      [
        field('Pass as `after` to get the rows after this one.', 'cursor', 'String!'),
        field('The row.', 'node', `${name}!`),
      ],
      age,
    ),
    inputType(`Which ${many} to return: everything given must hold.`, `${name}Filter`, [
      input('Further conditions, all of which must hold.', 'and', `[${name}Filter!]`),
      input(
        'Further conditions, at least one of which must hold; an empty list finds nothing. Some upstreams support this only for conditions on one field; otherwise the request fails with BAD_USER_INPUT.',
        'or',
        `[${name}Filter!]`,
      ),
      input(
        'A condition that must not hold. As with `ne`, unset values do not match, unless the condition is `ne: null`. Some upstreams cannot negate `contains`, `startsWith` or `endsWith`: BAD_USER_INPUT.',
        'not',
        `${name}Filter`,
      ),
      ...columns
        .filter(({ column }) => column?.filter)
        .map((one) => input(null, one.name, `${isWord(one) ? 'Word' : one.type}Filter`)),
    ]),
    enumType(
      `What ${many} can be sorted by. Unset values are the least.`,
      `${name}Order`,
      columns
        .filter(({ column }) => column?.sort)
        .flatMap((one) => toOrderMembers(one.name).map((member) => [member, null] as const)),
    ),
  ];
}

/** The definitions that span all record types: entries of `batch`, watchable types, and the union of changed records. */
export function deriveUnitedTypes(recordTypes: readonly RecordTypeDescriptor[]): DocumentNode {
  const watched = recordTypes.filter((recordType) => recordType.watched);
  return {
    kind: Kind.DOCUMENT,
    definitions: [
      inputType(
        'One change: exactly one of these fields, with the input of the mutation of that name.',
        'BatchEntryInput',
        recordTypes.flatMap(({ names, type, writes }) =>
          (names ? writes.map((write) => [write, writeName(write, names)] as const) : []).map(
            ([write, single]) =>
              input(
                `${capitalize(nounOf({ name: type }))} to ${write === 'update' ? 'change' : write}, as with \`${single}\`.`,
                single,
                write === 'delete' ? 'RecordVersionInput' : `${capitalize(single)}Input`,
              ),
          ),
        ),
        [oneOf],
      ),
      enumType(
        'A kind of business record that can be watched.',
        'RecordType',
        watched.map(
          ({ names, watched: text }) => [toEnumMember(names?.one ?? ''), text?.description ?? null] as const,
        ),
      ),
      {
        kind: Kind.UNION_TYPE_DEFINITION,
        description: { kind: Kind.STRING, value: 'A record that has changed.' },
        name: { kind: Kind.NAME, value: 'ChangedRecord' },
        types: watched.map(({ type }) => namedType(type)),
      },
    ],
  };
}
