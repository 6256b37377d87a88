import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { InputError } from '../errors.ts';
import type { VerifiedCaller } from './verification.ts';
import { fragmentsOf } from './written-out.ts';

export interface AuthorizationOptions {
  /** What it takes to change records. */
  readonly writeScopes: readonly string[];
  /** What it takes to stop and start instances. */
  readonly operateScopes: readonly string[];
  /** What it takes to ask areas B and C anything. */
  readonly managementScopes: readonly string[];
}

const operating = new Set(['stopApplicationInstance', 'startApplicationInstance']);

/**
 * Throws `InputError` where an operation holds a mutation that its caller may not make: then none of it is carried
 * out. Where callers are not verified nothing is known of them, and the upstream decides.
 */
export function authorize(
  { writeScopes, operateScopes, managementScopes }: AuthorizationOptions,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  verified: VerifiedCaller | null,
): void {
  if (verified === null || operation.operation !== 'mutation') return;
  for (const field of rootFields(document, operation.selectionSet)) {
    if (field.startsWith('__')) continue;
    const scopes = operating.has(field) ? [...operateScopes, ...managementScopes] : writeScopes;
    demand(scopes, verified, `\`${field}\``);
  }
}

/** Throws `InputError` where a caller lacks one of these scopes. */
export function demand(scopes: readonly string[], verified: VerifiedCaller, what: string): void {
  const missing = scopes.filter((scope) => !verified.scopes.has(scope));
  if (missing.length === 0) return;
  throw new InputError(`The token lacks the scope ${missing.join(' ')}, which ${what} takes.`, 'FORBIDDEN');
}

/** The fields an operation begins with, whether or not they are skipped. */
export function rootFields(document: DocumentNode, selectionSet: SelectionSetNode): ReadonlySet<string> {
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
