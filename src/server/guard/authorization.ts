import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { InputError } from '../../errors.ts';
import { fragmentsOf } from './fragments.ts';
import type { VerifiedCaller } from './token-verification.ts';

export interface AuthorizationOptions {
  /** Scopes required by mutations of records. */
  readonly writeScopes: readonly string[];
  /** Scopes required to stop and start instances. */
  readonly operateScopes: readonly string[];
  /** Scopes required for any request to areas B and C. */
  readonly managementScopes: readonly string[];
}

// Of one instance of any kind, or of several.
const operateMutation = /^(stop|start)[A-Z]\w*Instances?$/;

/** The scopes that a mutation requires, all of them. */
export const scopesOfMutation = (
  { writeScopes, operateScopes, managementScopes }: AuthorizationOptions,
  field: string,
): readonly string[] => (operateMutation.test(field) ? [...operateScopes, ...managementScopes] : writeScopes);

/**
 * Throws `InputError` if the caller lacks a scope for one of the operation's mutations; then none of them is
 * executed. Unverified callers are not checked here: the upstream decides.
 */
export function authorize(
  options: AuthorizationOptions,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  verified: VerifiedCaller | null,
): void {
  if (verified === null || operation.operation !== 'mutation') return;
  for (const field of rootFieldNames(document, operation.selectionSet)) {
    if (field.startsWith('__')) continue;
    requireScopes(scopesOfMutation(options, field), verified, `\`${field}\``);
  }
}

/** Throws `InputError` if the caller lacks one of the scopes. Its roles count as scopes. */
export function requireScopes(scopes: readonly string[], verified: VerifiedCaller, what: string): void {
  const missing = scopes.filter((scope) => !verified.scopes.has(scope));
  if (missing.length === 0) return;
  throw new InputError(
    `The token lacks the scope ${missing.join(' ')}, which ${what} requires.`,
    'FORBIDDEN',
  );
}

/** Returns the names of an operation's root fields, ignoring `@skip` and `@include`. */
export function rootFieldNames(document: DocumentNode, selectionSet: SelectionSetNode): ReadonlySet<string> {
  const fragments = fragmentsOf(document);
  const fields = new Set<string>();
  const spread = new Set<string>();
  const collect = (set: SelectionSetNode | undefined) => {
    for (const node of set?.selections ?? []) {
      if (node.kind === Kind.FIELD) fields.add(node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        collect(fragments.get(node.name.value)?.selectionSet);
      }
    }
  };
  collect(selectionSet);
  return fields;
}
