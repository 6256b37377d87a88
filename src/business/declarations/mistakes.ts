import {
  type ConstDirectiveNode,
  concatAST,
  type DirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLError,
  GraphQLSchema,
  getDirectiveValues,
  getLocation,
  Kind,
  type ObjectTypeDefinitionNode,
  UniqueTypeNamesRule,
} from 'graphql';
import { specifiedSDLRules } from 'graphql/validation/specifiedRules.js';
import { validateSDL } from 'graphql/validation/validate.js';
import type { RecordTypeDescriptor } from '../records/record-type.ts';
import {
  collectDeclarations,
  columnsOf,
  type DeclarationFile,
  type Declarations,
  type DeclaredField,
  type DeclaredType,
  type DirectiveName,
  directives,
  namesOf,
  scalarKinds,
} from './declarations.ts';
import { deriveTypes } from './derived-types.ts';

/** An error in a file of declarations. */
export interface Mistake {
  /** The path, spelled as in the setting. */
  readonly file: string;
  /** Line and column, starting at 1; null for the whole file. */
  readonly place: { readonly line: number; readonly column: number } | null;
  /** Sentences that say what is wrong and what to do. */
  readonly message: string;
}

export const formatMistake = ({ file, place, message }: Mistake): string =>
  `${file}${place ? `:${place.line}:${place.column}` : ''}: ${message}`;

interface Located {
  readonly loc?: Parameters<typeof toPlace>[0];
}

const toPlace = (
  loc: { readonly start: number; readonly source: Parameters<typeof getLocation>[0] } | undefined,
) => (loc ? getLocation(loc.source, loc.start) : null);

const toMistake = ({ nodes, message, source }: GraphQLError): Mistake => ({
  file: nodes?.[0]?.loc?.source.name ?? source?.name ?? '',
  place: toPlace(nodes?.[0]?.loc),
  message,
});

/**
 * Finds violations of GraphQL's rules: names that are unknown, defined twice, or defined in `graph`, the schema that the files
 * extend.
 */
export function findRuleMistakes(
  files: readonly DeclarationFile[],
  graph: GraphQLSchema,
): readonly Mistake[] {
  const known = new GraphQLSchema({
    ...graph.toConfig(),
    directives: [...graph.getDirectives(), ...directives.values()],
  });
  const document = concatAST(files.map((file) => file.document));
  // Duplicate types are checked first: all of their fields would be reported as duplicates, too.
  for (const rules of [[UniqueTypeNamesRule], specifiedSDLRules]) {
    const errors = validateSDL(document, known, rules);
    if (errors.length > 0) return errors.map(toMistake);
  }
  return [];
}

/** `findRuleMistakes`, then wrong arguments of directives, and syntax that files of declarations must not use. */
export function findSdlMistakes(files: readonly DeclarationFile[], graph: GraphQLSchema): readonly Mistake[] {
  const mistakes = findRuleMistakes(files, graph);
  if (mistakes.length > 0) return mistakes;
  return files.flatMap(({ document: { definitions } }) =>
    definitions.flatMap((node) => [
      ...(node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION
        ? [
            ...[node, ...(node.fields ?? [])].flatMap(({ directives: given = [] }) =>
              given.flatMap(findWrongValue),
            ),
            ...(node.interfaces ?? []).map((one) =>
              mistakeAt(one, 'A type of a file implements no interface. Remove it.'),
            ),
            ...(node.fields ?? []).flatMap((field) =>
              (field.arguments ?? []).map((one) =>
                mistakeAt(one, 'A field of a file takes no arguments. Remove them.'),
              ),
            ),
          ]
        : [mistakeAt(node, 'A file declares types, and adds lists to others by `extend type`. Remove it.')]),
    ]),
  );
}

function findWrongValue(node: ConstDirectiveNode): readonly Mistake[] {
  const directive = directives.get(node.name.value);
  if (!directive && node.name.value !== 'deprecated')
    return [
      mistakeAt(
        node,
        `A file has the directives of declarations and \`@deprecated\`. Remove \`@${node.name.value}\`.`,
      ),
    ];
  if (node.name.value === 'reads' || node.arguments?.some(({ name }) => name.value === 'takes'))
    return [
      mistakeAt(
        node,
        '`@reads` and `takes` are for fields that code makes, of the product or of EXTENSIONS. Remove them.',
      ),
    ];
  return findWrongArguments(node);
}

/** Finds wrong arguments of directives, which GraphQL's rules for SDL do not check. */
export function findWrongArguments(node: DirectiveNode): readonly Mistake[] {
  const directive = directives.get(node.name.value);
  try {
    if (directive) getDirectiveValues(directive, { directives: [node] });
    return [];
  } catch (error) {
    return [toMistake(error as GraphQLError)];
  }
}

export const mistakeAt = ({ loc }: Located, message: string): Mistake => ({
  file: loc?.source.name ?? '',
  place: toPlace(loc),
  message,
});

/** Locates an argument of a directive, otherwise the type or field itself. `index` selects one of repeated directives. */
const argumentLocator =
  ({ name, directives: given = [] }: ObjectTypeDefinitionNode | FieldDefinitionNode) =>
  (directive: DirectiveName, argument: string, index = 0): Located =>
    given
      .filter((one) => one.name.value === directive)
      [index]?.arguments?.find((one) => one.name.value === argument) ?? name;

/** Names that no field can have: properties of every JavaScript object, and fields of every filter. */
const reservedNames: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  'and',
  'or',
  'not',
]);
/** Fields of every record whose type is fixed. */
const fixedTypes: Readonly<Record<string, string>> = { id: 'UUID', etag: 'String' };
const derivedFields: ReadonlySet<string> = new Set(['companyId', 'company', 'nodeId']);

/** A simple identifier of OData (CSDL 4.01, 15.2). Such names occur in URLs and query options. */
export const odataNamePattern =
  /^(?!__proto__$)[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;
export const routePattern = /^(?:[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*\/)?(?:v\d{1,3}\.\d{1,3}|beta)$/;
const segmentsPattern = /^[\p{L}_][\p{L}\p{Nd}_]*(\/[\p{L}_][\p{L}\p{Nd}_]*){0,3}$/u;
const fieldNamePattern = /^[a-z][A-Za-z0-9]*$/;

/** Finds violations of the rules of declarations. The files must be free of `findSdlMistakes`. */
export function findDeclarationMistakes(
  files: readonly DeclarationFile[],
  existing: readonly RecordTypeDescriptor[],
): readonly Mistake[] {
  const declarations = collectDeclarations(files);
  const mistakes: Mistake[] = [];
  const report = (node: Located, message: string) => mistakes.push(mistakeAt(node, message));
  const known = { declarations, existing, report };
  for (const { document } of files)
    for (const node of document.definitions)
      if (node.kind === Kind.OBJECT_TYPE_DEFINITION && !declarations.types.has(node.name.value))
        report(
          node.name,
          `Nothing reads \`${node.name.value}\`. Add \`@record(set: "…")\`, or a field with \`@relation\` that has a list of them.`,
        );
      else if (node.kind === Kind.OBJECT_TYPE_EXTENSION)
        for (const field of node.fields ?? [])
          if (!declarations.lists.some((list) => list.field.node === field))
            report(field.name, 'To another type, a file adds lists only. Add `@list(by: "…")`.');
  for (const type of declarations.types.values()) checkType(type, known);
  for (const { owner, field } of declarations.lists) checkList(owner, field, known);
  return mistakes;
}

interface Known {
  readonly declarations: Declarations;
  readonly existing: readonly RecordTypeDescriptor[];
  report(node: Located, message: string): void;
}

const canNameField = (name: string): boolean => fieldNamePattern.test(name) && !reservedNames.has(name);

function checkName(
  node: Located,
  argument: string,
  name: string | undefined,
  what: string,
  { report }: Known,
): void {
  if (name !== undefined && !odataNamePattern.test(name))
    report(node, `\`${argument}: "${name}"\` is no name of ${what}.`);
}

function checkType(type: DeclaredType, known: Known): void {
  const { report } = known;
  const { record, node, fields } = type;
  const at = argumentLocator(node);
  const columns = columnsOf(type);
  const findColumn = (name: string) => columns.find((field) => field.name === name);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(type.name))
    report(node.name, 'Names of types are in PascalCase. Choose another.');
  if (type.description === '')
    report(node.name, `Say what \`${type.name}\` is: write a description above it.`);
  if (record) {
    checkName(at('record', 'set'), 'set', record.set, 'an entity set', known);
    checkName(at('record', 'id'), 'id', record.id, 'a column', known);
    if (!routePattern.test(record.route))
      report(
        at('record', 'route'),
        `\`route: "${record.route}"\` is not \`v2.0\` or \`{publisher}/{group}/v1.0\`.`,
      );
    const { one, many } = namesOf(type);
    if (one === many)
      report(
        at('record', 'many'),
        `One record and the list have the same name \`${one}\`. Give \`one\` or \`many\`.`,
      );
    for (const [argument, name] of Object.entries({ one, many }))
      if (!canNameField(name))
        report(
          at('record', argument),
          `\`${name}\` cannot be a field of \`Company\`. Give \`one\` and \`many\` in camelCase.`,
        );
    const changed = findColumn('lastModifiedDateTime');
    if (record.watch && !(changed?.type === 'DateTime' && changed.column.filter && changed.column.sort))
      report(
        at('record', 'watch'),
        '`watch` needs a field `lastModifiedDateTime: DateTime` that can be filtered and sorted. Add it, or remove `watch`.',
      );
    if (record.write.includes('UPDATE') && !columns.some(({ column }) => column.write.includes('UPDATE')))
      report(
        at('record', 'write'),
        'No field can be changed. Give `write: [UPDATE]` to some, or remove UPDATE here.',
      );
  }
  const [writable, ...otherWritable] = fields.filter(
    (field) => field.relation && field.isList && known.declarations.types.get(field.type)?.rows?.write.length,
  );
  for (const field of otherWritable)
    report(
      field.node.name,
      `Rows of one kind can be written one by one, and \`${writable?.name}\` are. Remove \`write\` of \`${field.type}\`.`,
    );
  for (const [index, action] of type.actions.entries()) checkAction(type, action, index, known);
  for (const name of record?.needsOneOf ?? [])
    if (!findColumn(name)?.column.write.includes('CREATE'))
      report(
        at('record', 'needsOneOf'),
        `\`needsOneOf\` names \`${name}\`, which no create takes. Correct it, or give the field \`write: [CREATE]\`.`,
      );
  if (type.rows) {
    const { write } = type.rows;
    for (const argument of ['set', 'id'] as const)
      if (!odataNamePattern.test(type.rows[argument]))
        report(at('rows', argument), `\`${type.rows[argument]}\` is no name of an entity set or a column.`);
    if (write.some((one) => one !== 'CREATE') && !fields.some(({ name }) => name === 'id'))
      report(
        at('rows', 'write'),
        'Rows that are changed or deleted need a field `id: UUID` that names them. Add it.',
      );
    for (const one of ['CREATE', 'UPDATE'] as const)
      if (write.includes(one) && !columns.some(({ column }) => column.write.includes(one)))
        report(
          at('rows', 'write'),
          `No field takes ${one}. Give \`write: [${one}]\` to some, or remove ${one} here.`,
        );
  }
  const key = type.record ?? type.rows;
  const fieldOf = new Map<string, string>(key ? [[key.id, 'id']] : []);
  for (const field of fields) {
    checkField(field, type, known);
    if (!field.column || field.isFromOwner || field.name === 'id') continue;
    const column = field.column.name ?? field.name;
    const other = fieldOf.get(column);
    if (other !== undefined)
      report(field.node, `\`${other}\` reads the column \`${column}\`, too. Remove one of the two.`);
    fieldOf.set(column, field.name);
  }
}

function checkAction(
  type: DeclaredType,
  action: DeclaredType['actions'][number],
  index: number,
  known: Known,
): void {
  const { name, mutation, result, resultBy, shownBy } = action;
  const { declarations, report } = known;
  const at = (argument: keyof typeof action) => argumentLocator(type.node)('action', argument, index);
  checkName(at('name'), 'name', name, 'an action', known);
  if (!canNameField(mutation))
    report(
      at('mutation'),
      `\`mutation: "${mutation}"\` cannot be the name of a mutation. Choose one in camelCase.`,
    );
  const made = declarations.types.get(result ?? '');
  if (result !== undefined && !made?.record)
    report(
      at('result'),
      `\`result: "${result}"\` is no type of records that the files declare. Remove it, or add its file.`,
    );
  if (resultBy !== undefined && !(made && columnsOf(made).some((one) => one.name === resultBy)))
    report(
      at('resultBy'),
      `\`resultBy: "${resultBy}"\` is no column of the result. Correct it, or leave it out.`,
    );
  if (shownBy && !columnsOf(type).some((one) => one.name === 'status'))
    report(at('shownBy'), '`shownBy` needs a column `status`. Add it, or remove `shownBy`.');
}

function checkField(field: DeclaredField, type: DeclaredType, known: Known): void {
  const { declarations, existing, report } = known;
  const { node, name, column, relation, list, file, isFromOwner, isList } = field;
  const at = argumentLocator(node);
  const columns = columnsOf(type);
  if (!canNameField(name))
    report(
      node.name,
      `\`${name}\` cannot be the name of a field. Choose another in camelCase; \`@column(name: "…")\` keeps the upstream's.`,
    );
  // Fields that are inherited from the product's own interfaces may have these names.
  if (type.record && derivedFields.has(name) && type.node.fields?.includes(node))
    report(
      node.name,
      `Every record has a field \`${name}\`. Choose another name; \`@column(name: "…")\` keeps the upstream's.`,
    );
  const fixed = Object.hasOwn(fixedTypes, name) ? fixedTypes[name] : undefined;
  if (fixed !== undefined && (field.type !== fixed || (column?.name ?? name) !== name))
    report(
      node.name,
      `\`${name}\` is the ${name === 'id' ? 'key' : 'entity tag'}, a \`${fixed}\`. Choose another name; \`@column(name: "…")\` keeps the upstream's.`,
    );
  if (field.description === '') report(node.name, `Say what \`${name}\` is: write a description above it.`);
  if (
    (column || relation) &&
    node.type.kind === Kind.NON_NULL_TYPE &&
    fixed === undefined &&
    !derivedFields.has(name)
  )
    report(node.name, `The upstream may leave \`${name}\` unset. Remove the \`!\`.`);
  for (const [index, { column: other, reads = [] }] of field.dialects.entries()) {
    checkName(at('dialect', 'column', index), 'column', other, 'a column', known);
    for (const one of reads)
      if (!columns.some((each) => each.name === one))
        report(at('dialect', 'reads', index), `There is no column \`${one}\` to read. Correct \`reads\`.`);
  }
  if (column) {
    if (isList) report(node.name, `A column has one value. Give \`${name}\` the type \`JSON\`.`);
    checkName(at('column', 'name'), 'name', column.name, 'a column', known);
    if (column.kind !== undefined && field.type !== 'String')
      report(at('column', 'kind'), `\`kind\` is for texts, and \`${name}\` is \`${field.type}\`. Remove it.`);
    if (field.type === 'JSON' && column.write.length > 0)
      report(at('column', 'write'), 'A field of type `JSON` can only be read. Remove `write`.');
    if (column.required && !column.write.includes('CREATE'))
      report(at('column', 'required'), 'No create takes it. Remove `required`, or give `write: [CREATE]`.');
  } else if (file) {
    if (field.type !== 'File' || isList) report(node.name, 'A file has the type `File`.');
    if (!segmentsPattern.test(file.path))
      report(at('file', 'path'), `\`path: "${file.path}"\` is not a path of one to four names.`);
  } else if (relation) {
    const isKnown = isList
      ? declarations.types.has(field.type)
      : declarations.types.get(field.type)?.record ||
        declarations.types.get(field.type)?.rows ||
        existing.some((one) => one.type === field.type && one.names);
    if (!isKnown)
      report(
        node.name,
        `\`${field.type}\` is no type of ${isList ? 'rows that the files declare' : 'records'}. Correct it, or add its file.`,
      );
    if (isList && (relation.expand === undefined || relation.key !== undefined))
      report(at('relation', 'key'), 'Rows come by `$expand`. Give `expand`, and no `key`.');
    if (relation.key === undefined && relation.expand === undefined)
      report(node.name, 'Nothing leads to the record. Give `key`, `expand`, or both.');
    checkName(at('relation', 'expand'), 'expand', relation.expand, 'a navigation', known);
    const key = columns.find((one) => one.name === relation.key);
    if (relation.key !== undefined && relation.key !== 'id' && key?.type !== 'UUID')
      report(
        at('relation', 'key'),
        key
          ? `The field \`${relation.key}\` is \`${key.type}\`; it leads to a record only if it is \`UUID\`.`
          : `There is no field \`${relation.key}\`. Correct \`key\`, or add the field.`,
      );
  } else if (!list && !field.reads && !(type.record && derivedFields.has(name)))
    report(
      node.name,
      `Nothing says how \`${name}\` is read. Add \`@relation\`, \`@list\` or \`@file\`, or give it one of the scalars ${Object.keys(scalarKinds).join(', ')}.`,
    );
  if (isFromOwner) {
    const owners = [...declarations.types.values()].filter(({ fields }) =>
      fields.some((one) => one.relation && one.isList && one.type === type.name),
    );
    if (
      !owners.every((owner) => columnsOf(owner).some((one) => one.name === name && one.type === field.type))
    )
      report(
        node.name,
        `The record that holds these rows has no column \`${name}: ${field.type}\`. Add it, or remove \`@fromOwner\`.`,
      );
  }
}

const isText = (type: string | undefined) => type === 'String';

/** The scalar of a column of a type; undefined if it has no such column. Of existing types, only `id` is known. */
function scalarOf(type: string, name: string, { declarations }: Known): string | undefined {
  if (name === 'id') return 'UUID';
  const declared = declarations.types.get(type);
  return declared && columnsOf(declared).find((one) => one.name === name)?.type;
}

function checkList(owner: string, field: DeclaredField, known: Known): void {
  const { list, node } = field;
  const { declarations, existing, report } = known;
  if (!list) return;
  const isRecord = (type: string) =>
    declarations.types.get(type)?.record != null || existing.some((one) => one.type === type && one.names);
  if (!isRecord(owner)) report(node.name, `\`${owner}\` is no type of records, which lists belong to.`);
  else if (!declarations.types.get(field.type)?.record || !field.isList)
    report(node.name, `A list has the type of records that the files declare, such as \`[${field.type}!]\`.`);
  else checkComparison(owner, field, list, known);
}

function checkComparison(
  owner: string,
  { node, type }: DeclaredField,
  list: NonNullable<DeclaredField['list']>,
  known: Known,
): void {
  const { declarations, report } = known;
  const at = argumentLocator(node);
  const listed = declarations.types.get(type);
  const isWhereText = listed && columnsOf(listed).some((one) => one.name === list.where && isText(one.type));
  if ((list.where === undefined) !== (list.is === undefined) || (list.where !== undefined && !isWhereText))
    report(
      at('list', 'where'),
      `\`where\` and \`is\` go together: a text column of \`${type}\`, and its value. Correct them.`,
    );
  const by = scalarOf(type, list.by, known);
  const equals = scalarOf(owner, list.equals, known);
  if (by === undefined) report(at('list', 'by'), `\`${type}\` has no column \`${list.by}\`. Correct \`by\`.`);
  else if (equals === undefined)
    report(
      at('list', 'equals'),
      declarations.types.has(owner)
        ? `\`${owner}\` has no column \`${list.equals}\`. Correct \`equals\`.`
        : `Records of \`${owner}\` can list others by their \`id\` only.`,
    );
  else if (by !== equals && !(isText(by) && isText(equals)))
    report(at('list', 'by'), `It compares \`${by}\` with \`${equals}\`. Both have to be of the same type.`);
}

/** Finds derived types and fields whose names are in the graph, or derive from another type, too. */
export function findClashes(files: readonly DeclarationFile[], graph: GraphQLSchema): readonly Mistake[] {
  const declarations = collectDeclarations(files);
  const owners = new Map<string, DeclaredType>();
  return [...declarations.types.values()].flatMap((type): readonly Mistake[] => {
    const names = derivedNames(deriveTypes(type, declarations));
    const clash = names.find((name) => isDefined(graph, name) || owners.has(name));
    for (const name of names) owners.set(name, owners.get(name) ?? type);
    if (clash === undefined) return [];
    const where = isDefined(graph, clash) ? 'is in the graph' : `derives from \`${owners.get(clash)?.name}\``;
    const message = `\`${clash}\`, which derives from \`${type.name}\`, ${where} already. Choose another name of the type, or give \`one\` and \`many\`.`;
    return [mistakeAt(type.node.name, message)];
  });
}

/** The names of derived types, and of the fields that extend others: `VendorFilter`, `Company.vendors`. */
const derivedNames = ({ definitions }: DocumentNode): readonly string[] =>
  definitions.flatMap((node) => {
    if (!('name' in node) || !node.name) return [];
    const type = node.name.value;
    if (node.kind !== Kind.OBJECT_TYPE_EXTENSION) return [type];
    return (node.fields ?? []).map(({ name }) => `${type}.${name.value}`);
  });

/** Whether the graph has a type, or a field such as `Customer.balanceDue`. */
export function isDefined(graph: GraphQLSchema, coordinate: string): boolean {
  const [name = '', field] = coordinate.split('.');
  const type = graph.getType(name);
  if (field === undefined || !type) return type !== undefined;
  return 'getFields' in type && Object.hasOwn(type.getFields(), field);
}
