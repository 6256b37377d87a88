import { type ASTNode, type DocumentNode, Kind, visit } from 'graphql';

const kinds: ReadonlySet<string> = new Set([
  Kind.DOCUMENT,
  Kind.OPERATION_DEFINITION,
  Kind.VARIABLE_DEFINITION,
  Kind.NAMED_TYPE,
  Kind.SELECTION_SET,
  Kind.FIELD,
  Kind.ARGUMENT,
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
 * (`parameterize`). It holds no value but variables named as parameters, no directive, and no reserved name (two
 * underscores) but those of introspection, and Relay's `__is<Type>: __typename`.
 *
 * False also where the code would be wrong: graphql-jit keeps the `info` of resolvers by their response paths, joined by
 * `_`, so with an alias that has one, two places could share an `info`.
 */
export function isCompilable(document: DocumentNode): boolean {
  let isAllowed = true;
  visit(document, {
    enter(node) {
      isAllowed &&= kinds.has(node.kind) && isNameAllowed(node);
    },
  });
  return isAllowed;
}

function isNameAllowed(node: ASTNode): boolean {
  switch (node.kind) {
    case Kind.VARIABLE:
      return parameterPattern.test(node.name.value);
    case Kind.VARIABLE_DEFINITION:
      return !node.defaultValue;
    case Kind.FIELD:
      return (
        (isOrdinary(node.name.value) || reservedFields.has(node.name.value)) &&
        (!node.alias?.value.includes('_') || isRelayAlias(node.alias.value, node.name.value))
      );
    case Kind.NAMED_TYPE:
      return isOrdinary(node.name.value) || introspectionTypePattern.test(node.name.value);
    case Kind.OPERATION_DEFINITION:
      return !node.name;
    case Kind.FRAGMENT_DEFINITION:
    case Kind.FRAGMENT_SPREAD:
    case Kind.ARGUMENT:
      return isOrdinary(node.name.value);
    default:
      return true;
  }
}

const isOrdinary = (name = '') => !name.startsWith('__');
const isRelayAlias = (alias: string, field: string) => field === '__typename' && /^__is[A-Z]\w*$/.test(alias);
