import { type ASTNode, type DocumentNode, Kind, visit } from 'graphql';

const kinds: ReadonlySet<string> = new Set([
  Kind.DOCUMENT,
  Kind.OPERATION_DEFINITION,
  Kind.VARIABLE_DEFINITION,
  Kind.NAMED_TYPE,
  Kind.NON_NULL_TYPE,
  Kind.SELECTION_SET,
  Kind.FIELD,
  Kind.ARGUMENT,
  Kind.DIRECTIVE,
  Kind.FRAGMENT_SPREAD,
  Kind.INLINE_FRAGMENT,
  Kind.FRAGMENT_DEFINITION,
  Kind.VARIABLE,
  Kind.NAME,
]);
const parameterPattern = /^p\d+$/;
const reservedFields: ReadonlySet<string> = new Set(['__typename', '__schema', '__type']);
const introspectionTypePattern =
  /^__(Schema|Type|TypeKind|Field|InputValue|EnumValue|Directive|DirectiveLocation)$/;

/**
 * Whether code may be generated from a document: an allow-list, apart from what makes such documents
 * (`parameterize`). It holds no value but variables named as parameters, and no reserved name (two underscores) but those
 * of introspection, and Relay's `__is<Type>: __typename`.
 *
 * False also where the code would be wrong. graphql-jit notes `@skip` and `@include` at the fields themselves, so of a
 * fragment in two places the conditions of the one would hold in the other. And it keeps the `info` of resolvers by their
 * response paths, joined by `_`: with an alias that has one, two places could share an `info`.
 */
export function isCompilable(document: DocumentNode): boolean {
  const spread = new Set<string>();
  let isAllowed = true;
  let isShared = false;
  let isConditional = false;
  visit(document, {
    enter(node) {
      isAllowed &&= kinds.has(node.kind) && isNameAllowed(node);
      if (node.kind === Kind.DIRECTIVE) isConditional = true;
      if (node.kind !== Kind.FRAGMENT_SPREAD) return;
      isShared ||= spread.has(node.name.value);
      spread.add(node.name.value);
    },
  });
  return isAllowed && !(isShared && isConditional);
}

function isNameAllowed(node: ASTNode): boolean {
  switch (node.kind) {
    case Kind.VARIABLE:
      return parameterPattern.test(node.name.value);
    case Kind.VARIABLE_DEFINITION:
      return !node.defaultValue && !node.directives?.length;
    case Kind.DIRECTIVE:
      return node.name.value === 'skip' || node.name.value === 'include';
    case Kind.FIELD:
      return (
        (isOrdinary(node.name.value) || reservedFields.has(node.name.value)) &&
        (!node.alias?.value.includes('_') || isRelayAlias(node.alias.value, node.name.value))
      );
    case Kind.NAMED_TYPE:
      return isOrdinary(node.name.value) || introspectionTypePattern.test(node.name.value);
    case Kind.OPERATION_DEFINITION:
      return !node.name && !node.directives?.length;
    case Kind.FRAGMENT_DEFINITION:
      return isOrdinary(node.name.value) && !node.directives?.length;
    case Kind.FRAGMENT_SPREAD:
    case Kind.ARGUMENT:
      return isOrdinary(node.name.value);
    default:
      return true;
  }
}

const isOrdinary = (name = '') => !name.startsWith('__');
const isRelayAlias = (alias: string, field: string) => field === '__typename' && /^__is[A-Z]\w*$/.test(alias);
