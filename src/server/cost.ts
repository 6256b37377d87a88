import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isIntrospectionType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  visit,
} from 'graphql';
import { countedAbove, isRow } from '../graph/row-types.ts';
import { createValue, type Variables } from './argument-values.ts';
import { comparingArguments, comparisonsIn } from './comparisons.ts';
import { type IntrospectionSizes, introspectionSizes } from './introspection-sizes.ts';
import { createSize } from './list-sizes.ts';
import { fragmentsOf } from './written-out.ts';

/** What a selection asks for, for each object that it is made of: rows, and fields of no row below that object. */
interface Sum {
  readonly rows: number;
  readonly fields: number;
}
/** That sum by the values of the variables. */
type Cost = (run: Run) => Sum;

interface Run {
  readonly variables: Variables;
  /** Fragments worked out so far. */
  readonly known: Map<string, Sum>;
}

// So many fields of a row take about as much as one more row.
const fieldsOfRow = 10;
// All of what a schema says of itself is read at one go.
const introspectedWeight = 4;

const nothing: Sum = { rows: 0, fields: 0 };
const free: Cost = () => nothing;
const oneField: Sum = { rows: 0, fields: 1 };
const leaf: Cost = () => oneField;

/**
 * What an operation costs, in upstream rows, as a function of its variables: a page counts its `first`, a list given as
 * argument its entries, a record one, every ten fields selected of it one more, each comparison of a filter one, and
 * each of them whatever hangs below it. What several places of an answer share is read once, but counted at each.
 *
 * Made once for an operation, so that a request only does the sums.
 */
export function createCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (variables: Variables) => number {
  const fragments = fragmentsOf(document);
  const ofFragments = new Map<string, Cost>();
  // A field that is spread again and again into one place stands there once.
  const mostFields = leavesOf(document);

  /** `only`: what is selected of this type alone, where an object can be of several. */
  const ofFragment = (name: string, only: GraphQLObjectType | null): Cost => {
    const key = only ? `${name} ${only.name}` : name;
    const before = ofFragments.get(key);
    if (before) return before;
    // Set before it is made: a fragment can be met again below itself only in documents that are not valid.
    ofFragments.set(key, free);
    const fragment = fragments.get(name);
    const cost = fragment
      ? ofSet(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value), only)
      : free;
    const once: Cost = (run) => {
      const known = run.known.get(key) ?? cost(run);
      run.known.set(key, known);
      return known;
    };
    ofFragments.set(key, once);
    return once;
  };

  const applies = (condition: string | undefined, only: GraphQLObjectType | null) => {
    const type = condition === undefined ? undefined : schema.getType(condition);
    return !only || !type || type === only || (isAbstractType(type) && schema.isSubType(type, only));
  };

  const ofSelection = (
    node: SelectionNode,
    type: GraphQLNamedType | undefined,
    only: GraphQLObjectType | null,
  ): Cost => {
    if (node.kind === Kind.FIELD) return ofField(node, type);
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      const condition = fragments.get(node.name.value)?.typeCondition.name.value;
      return applies(condition, only) ? ofFragment(node.name.value, only) : free;
    }
    const condition = node.typeCondition?.name.value;
    if (!applies(condition, only)) return free;
    return ofSet(node.selectionSet, condition ? schema.getType(condition) : type, only);
  };

  const ofSet = (
    set: SelectionSetNode,
    type: GraphQLNamedType | undefined,
    only: GraphQLObjectType | null = null,
  ): Cost =>
    sumOf(
      set.selections
        .map((node) => unlessSkipped(node, operation, ofSelection(node, type, only)))
        .filter((cost) => cost !== free),
    );

  const ofField = (node: FieldNode, parent: GraphQLNamedType | undefined): Cost => {
    if (!node.selectionSet) return leaf;
    const field = fieldOf(schema, parent, node.name.value);
    const type = field && getNamedType(field.type);
    if (!parent || !field || !isCompositeType(type)) return free;
    const { selectionSet } = node;
    if (node.name.value === '_entities')
      return ofEntities(schema, node, operation, mostFields, (only) => ofSet(selectionSet, type, only));
    const size = isIntrospectionType(type)
      ? () => sizesOf(schema)(parent.name, node.name.value)
      : createSize(field, node, operation);
    const isCounted =
      isRow(type) || isIntrospectionType(type) || field.args.some(({ name }) => name === 'first');
    const isRows = isCounted && !countedAbove.has(node.name.value);
    const own = isIntrospectionType(type) ? introspectedWeight : 1;
    const below = ofSet(selectionSet, type);
    const comparisons = (node.arguments ?? [])
      .filter(({ name }) => comparingArguments.has(name.value))
      .map(({ value }) => createValue(value, operation));
    return (run) => {
      const many = size(run.variables);
      const { rows, fields } = below(run);
      const each = isRows ? own + Math.floor(Math.min(fields, mostFields) / fieldsOfRow) + rows : rows;
      let compared = 0;
      for (const value of comparisons) compared += comparisonsIn(value(run.variables));
      return { rows: many * each + compared, fields: isRows ? 0 : fields };
    };
  };

  const cost = ofSet(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
  return (variables) => Math.ceil(cost({ variables, known: new Map() }).rows);
}

function leavesOf(document: DocumentNode): number {
  let count = 0;
  visit(document, {
    Field({ selectionSet }) {
      if (!selectionSet) count += 1;
    },
  });
  return count;
}

function fieldOf(
  schema: GraphQLSchema,
  parent: GraphQLNamedType | undefined,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (parent === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  const field = parent && 'getFields' in parent ? parent.getFields()[name] : undefined;
  return field && 'args' in field ? field : undefined;
}

const introspected = new WeakMap<GraphQLSchema, IntrospectionSizes>();

function sizesOf(schema: GraphQLSchema): IntrospectionSizes {
  const known = introspected.get(schema) ?? introspectionSizes(schema);
  introspected.set(schema, known);
  return known;
}

/** Each representation with what is selected of its own type. */
function ofEntities(
  schema: GraphQLSchema,
  node: FieldNode,
  operation: OperationDefinitionNode,
  mostFields: number,
  ofType: (only: GraphQLObjectType) => Cost,
): Cost {
  const given = createValue(node.arguments?.[0]?.value, operation);
  const costs = new Map<string, Cost>();
  const costOf = (name: string): Cost => {
    const known = costs.get(name);
    if (known) return known;
    const type = schema.getType(name);
    const cost = isObjectType(type) ? ofType(type) : free;
    if (isObjectType(type)) costs.set(name, cost);
    return cost;
  };
  return (run) => {
    const representations = given(run.variables);
    const sums = new Map<unknown, number>();
    let rows = 0;
    for (const one of Array.isArray(representations) ? representations : [representations]) {
      const name = (one as { readonly __typename?: unknown } | null | undefined)?.__typename;
      let sum = sums.get(name);
      if (sum === undefined) {
        const below = typeof name === 'string' ? costOf(name)(run) : nothing;
        sum = 1 + Math.floor(Math.min(below.fields, mostFields) / fieldsOfRow) + below.rows;
        sums.set(name, sum);
      }
      rows += sum;
    }
    return { rows, fields: 0 };
  };
}

function sumOf(costs: readonly Cost[]): Cost {
  if (costs.length === 0) return free;
  return (run) => {
    let rows = 0;
    let fields = 0;
    for (const cost of costs) {
      const sum = cost(run);
      rows += sum.rows;
      fields += sum.fields;
    }
    return { rows, fields };
  };
}

/** A piece that is left out where `@skip` or `@include` say so. */
function unlessSkipped(node: SelectionNode, operation: OperationDefinitionNode, cost: Cost): Cost {
  if (cost === free || !node.directives?.length) return cost;
  const conditions = node.directives.map(({ name, arguments: given }) => {
    const condition = createValue(given?.[0]?.value, operation);
    if (name.value === 'skip') return (variables: Variables) => condition(variables) !== true;
    if (name.value === 'include') return (variables: Variables) => condition(variables) !== false;
    return () => true;
  });
  return (run) => (conditions.every((holds) => holds(run.variables)) ? cost(run) : nothing);
}
