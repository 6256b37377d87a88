import { readFileSync } from 'node:fs';
import {
  buildASTSchema,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLDirective,
  getDirectiveValues,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type TypeNode,
} from 'graphql';
import { parseDefinitions } from '../../graph/definition-keys.ts';
import type { Dialect } from '../record-sets/dialect.ts';
import { ownerWord } from './words.ts';

type Write = 'CREATE' | 'UPDATE' | 'DELETE';

/** The arguments of the directives, as `schema/directives.graphql` describes them. */
interface DirectiveArguments {
  readonly record: {
    readonly set: string;
    readonly route: string;
    readonly id: string;
    readonly one?: string;
    readonly many?: string;
    readonly write: readonly Write[];
    readonly needsOneOf: readonly string[];
    readonly watch: boolean;
  };
  readonly rows: {
    readonly set: string;
    readonly write: readonly Write[];
    readonly id: string;
    readonly assignsIds: boolean;
  };
  readonly column: {
    readonly name?: string;
    readonly kind?: 'CODE' | 'WORD' | 'WORD_OR_BLANK';
    readonly write: readonly Write[];
    readonly required: boolean;
    readonly filter: boolean;
    readonly sort: boolean;
    readonly nullable: boolean;
    readonly outsideEtag: boolean;
  };
  readonly relation: { readonly key?: string; readonly expand?: string; readonly onCreate: boolean };
  readonly list: {
    readonly by: string;
    readonly equals: string;
    readonly where?: string;
    readonly is?: string;
  };
  readonly file: {
    readonly path: string;
    readonly replaceable: boolean;
    readonly extension?: string;
    readonly name?: string;
  };
  readonly fromOwner: object;
  readonly reads: { readonly columns: readonly string[] };
  readonly dialect: {
    readonly name: string;
    readonly column?: string;
    readonly reads?: readonly string[];
    readonly takes?: string;
  };
  readonly action: {
    readonly name: string;
    readonly mutation: string;
    readonly effect: 'REMOVES' | 'MAY_REMOVE' | 'CHANGES' | 'KEEPS';
    readonly shownBy?: readonly string[];
    readonly result?: string;
    readonly resultBy?: string;
    readonly mayFailAfterCommit: boolean;
    readonly does: string;
    readonly after?: string;
    readonly resultIs?: string;
  };
  readonly note: { readonly create?: string; readonly update?: string };
}

export type DirectiveName = keyof DirectiveArguments;

const source = readFileSync(new URL('../../../schema/directives.graphql', import.meta.url), 'utf8');

/** The directives of declarations. */
export const directives: ReadonlyMap<string, GraphQLDirective> = new Map(
  buildASTSchema(parseDefinitions(source), { assumeValidSDL: true })
    .getDirectives()
    .map((directive) => [directive.name, directive]),
);

interface WithDirectives {
  readonly directives?: readonly ConstDirectiveNode[];
}

/** Reads the arguments of every use of a directive on a type or field. */
const readDirectives = <Name extends DirectiveName>(
  name: Name,
  { directives: given = [] }: WithDirectives,
): readonly DirectiveArguments[Name][] =>
  given
    .filter((node) => node.name.value === name)
    .map(
      (node) =>
        getDirectiveValues(directives.get(name) as GraphQLDirective, {
          directives: [node],
        }) as unknown as DirectiveArguments[Name],
    );

/** Reads the arguments of a directive that is not repeatable; null if it is not used. */
const readDirective = <Name extends DirectiveName>(
  name: Name,
  node: WithDirectives,
): DirectiveArguments[Name] | null => readDirectives(name, node)[0] ?? null;

/** The field kind of each scalar. */
export const scalarKinds = {
  String: 'text',
  UUID: 'uuid',
  Date: 'date',
  DateTime: 'dateTime',
  Decimal: 'decimal',
  Int: 'int',
  SafeInt: 'safeInt',
  Boolean: 'boolean',
  JSON: 'object',
} as const;

/** A field of a declared type, with the arguments of its directives; null for a directive that it does not have. */
export interface DeclaredField {
  readonly node: FieldDefinitionNode;
  readonly name: string;
  readonly description: string;
  /** The type without `!` and lists. */
  readonly type: string;
  readonly isList: boolean;
  /** Set for every scalar field, except those that code resolves. */
  readonly column: DirectiveArguments['column'] | null;
  readonly relation: DirectiveArguments['relation'] | null;
  readonly list: DirectiveArguments['list'] | null;
  readonly file: DirectiveArguments['file'] | null;
  readonly isFromOwner: boolean;
  readonly reads: readonly string[] | null;
  readonly dialects: readonly (DirectiveArguments['dialect'] & { readonly name: Dialect['name'] })[];
  readonly note: DirectiveArguments['note'];
}

/** A declared type: a record type if `record` is set; otherwise rows of a record, with an entity set if `rows` is set. */
export interface DeclaredType {
  readonly file: string;
  readonly node: ObjectTypeDefinitionNode;
  readonly name: string;
  readonly description: string;
  readonly record: DirectiveArguments['record'] | null;
  readonly rows: DirectiveArguments['rows'] | null;
  readonly actions: readonly DirectiveArguments['action'][];
  readonly note: DirectiveArguments['note'];
  /** The inherited fields of its interfaces, then its own. */
  readonly fields: readonly DeclaredField[];
}

/** A field with `@list`. */
export interface DeclaredList {
  readonly file: string;
  readonly owner: string;
  readonly field: DeclaredField;
}

export interface Declarations {
  readonly types: ReadonlyMap<string, DeclaredType>;
  /** The lists of declared types and of `extend type`. */
  readonly lists: readonly DeclaredList[];
  /** The fields of `extend type` with `@reads`, and the columns that they need. */
  readonly reads: readonly {
    readonly owner: string;
    readonly field: string;
    readonly columns: readonly string[];
  }[];
  /** The fields of `extend type`, such as `Company.items`. They replace derived fields of the same name. */
  readonly explicitFields: ReadonlySet<string>;
}

/** A parsed file. */
export interface DeclarationFile {
  readonly file: string;
  readonly document: DocumentNode;
}

/** Collects declarations. Accepts also files with mistakes, so that `findDeclarationMistakes` can find them. */
export function collectDeclarations(files: readonly DeclarationFile[]): Declarations {
  const definitions = files.flatMap(({ file, document }) =>
    document.definitions.map((node) => ({ file, node })),
  );
  const interfaces = new Map(
    definitions.flatMap(({ node }) =>
      node.kind === Kind.INTERFACE_TYPE_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const rowTypes = new Set<string>();
  const types = new Map<string, DeclaredType>();
  const objects = definitions.flatMap(({ file, node }) =>
    node.kind === Kind.OBJECT_TYPE_DEFINITION ? [readType(file, node, interfaces)] : [],
  );
  for (const { record, fields } of objects)
    for (const { relation, isList, type } of fields) if (record && relation && isList) rowTypes.add(type);
  for (const type of objects)
    if (type.record || type.rows || rowTypes.has(type.name)) types.set(type.name, type);
  const extended = definitions.flatMap(({ file, node }) =>
    node.kind === Kind.OBJECT_TYPE_EXTENSION
      ? (node.fields ?? []).map((field) => ({ file, owner: node.name.value, field: readField(field) }))
      : [],
  );
  const lists = [
    ...[...types.values()].flatMap(({ file, name, fields }) =>
      fields.flatMap((field) => (field.list ? [{ file, owner: name, field }] : [])),
    ),
    ...extended.filter(({ field }) => field.list),
  ];
  const reads = extended.flatMap(({ owner, field: { name, reads: columns } }) =>
    columns ? [{ owner, field: name, columns }] : [],
  );
  const explicitFields = new Set(extended.map(({ owner, field }) => `${owner}.${field.name}`));
  return { types, lists, reads, explicitFields };
}

function readType(
  file: string,
  node: ObjectTypeDefinitionNode,
  interfaces: ReadonlyMap<string, InterfaceTypeDefinitionNode>,
): DeclaredType {
  const inherited = (node.interfaces ?? [])
    .flatMap(({ name }) => interfaces.get(name.value)?.fields ?? [])
    .map((field) => specializeDescription(field, node));
  const fields = new Map([...inherited, ...(node.fields ?? [])].map((field) => [field.name.value, field]));
  return {
    file,
    node,
    name: node.name.value,
    description: node.description?.value ?? '',
    record: readDirective('record', node),
    rows: readDirective('rows', node),
    actions: readDirectives('action', node),
    note: readDirective('note', node) ?? {},
    fields: [...fields.values()].map(readField),
  };
}

/** Replaces "the document" in the description of an inherited field, for example by "the order" in a sales order. */
const specializeDescription = (
  field: FieldDefinitionNode,
  { name, directives: given }: ObjectTypeDefinitionNode,
) =>
  field.description && given?.some((one) => one.name.value === 'record')
    ? {
        ...field,
        description: {
          ...field.description,
          value: field.description.value.replace(/\b(the) document\b/gi, `$1 ${ownerWord(name.value)}`),
        },
      }
    : field;

const plainColumn = {
  write: [],
  required: false,
  filter: true,
  sort: true,
  nullable: false,
  outsideEtag: false,
} as const;

export function readField(node: FieldDefinitionNode): DeclaredField {
  const type = namedTypeOf(node.type);
  const [relation, list, file] = [
    readDirective('relation', node),
    readDirective('list', node),
    readDirective('file', node),
  ];
  const reads = readDirective('reads', node)?.columns ?? null;
  const isColumn = !relation && !list && !file && !reads && Object.hasOwn(scalarKinds, type);
  return {
    node,
    name: node.name.value,
    description: node.description?.value ?? '',
    type,
    isList: isListType(node.type),
    column: isColumn ? (readDirective('column', node) ?? plainColumn) : null,
    relation,
    list,
    file,
    isFromOwner: readDirective('fromOwner', node) !== null,
    reads,
    dialects: readDirectives('dialect', node).map(({ name, ...rest }) => ({
      ...rest,
      name: name === 'DOCUMENT' ? ('document' as const) : ('dynamics' as const),
    })),
    note: readDirective('note', node) ?? {},
  };
}

/** The name of a type without `!` and lists. */
export const namedTypeOf = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedTypeOf(type.type);

const isListType = (type: TypeNode): boolean =>
  type.kind === Kind.LIST_TYPE || (type.kind === Kind.NON_NULL_TYPE && isListType(type.type));

/** The directives of a type or field, without those of declarations. */
export const plainDirectives = ({ directives: given = [] }: WithDirectives) => ({
  directives: given.filter(({ name }) => !directives.has(name.value)),
});

/** The columns of a type, without those that it repeats from its owner. */
export const columnsOf = ({ fields }: Pick<DeclaredType, 'fields'>) =>
  fields.filter(
    (field): field is DeclaredField & { readonly column: NonNullable<DeclaredField['column']> } =>
      field.column !== null && !field.isFromOwner && !commonFields.has(field.name),
  );

/** The fields of every record. A type may repeat `etag` to describe it in its own words. */
export const commonFields: ReadonlySet<string> = new Set(['companyId', 'company', 'nodeId', 'etag']);

/** The names of the fields that read records of a type. */
export function namesOf({ name, record, fields }: DeclaredType) {
  const one = record?.one ?? name.charAt(0).toLowerCase() + name.slice(1);
  const number = fields.find((field) => field.name === 'number');
  const hasNumber =
    number?.type === 'String' && number.column?.filter === true && (number.column.kind ?? 'CODE') === 'CODE';
  return { one, many: record?.many ?? record?.set ?? one, ...(hasNumber && { byNumber: `${one}ByNumber` }) };
}
