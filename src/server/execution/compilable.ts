import { type ASTNode, type DocumentNode, Kind, visit } from 'graphql';

const compilableKinds: ReadonlySet<string> = new Set([
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
 * Whether code may be generated from a document. An allow-list, independent of `parameterize`, which produces
 * these documents: no values except variables named as parameters, no directives, and no names with two
 * leading underscores except those of introspection and Relay's `__is<Type>: __typename`.
 *
 * Also false where graphql-jit would generate wrong code: it caches resolvers' `info` by response path joined
 * with `_`, so an alias containing `_` could make two paths collide.
 */
export function isCompilable(document: DocumentNode): boolean {
  let isAllowed = true;
  visit(document, {
    enter(node) {
      isAllowed &&= compilableKinds.has(node.kind) && isNameAllowed(node);
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
        (isUserName(node.name.value) || reservedFields.has(node.name.value)) &&
        (!node.alias?.value.includes('_') || isRelayAlias(node.alias.value, node.name.value))
      );
    case Kind.NAMED_TYPE:
      return isUserName(node.name.value) || introspectionTypePattern.test(node.name.value);
    case Kind.OPERATION_DEFINITION:
      return !node.name;
    case Kind.FRAGMENT_DEFINITION:
    case Kind.FRAGMENT_SPREAD:
    case Kind.ARGUMENT:
      return isUserName(node.name.value);
    default:
      return true;
  }
}

const isUserName = (name = '') => !name.startsWith('__');
const isRelayAlias = (alias: string, field: string) => field === '__typename' && /^__is[A-Z]\w*$/.test(alias);
