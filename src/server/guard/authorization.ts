import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { InputError } from '../../errors.ts';
import { rootFieldNames } from './root-fields.ts';
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
const scopesOfMutation = (
  { writeScopes, operateScopes, managementScopes }: AuthorizationOptions,
  field: string,
): readonly string[] => (operateMutation.test(field) ? [...operateScopes, ...managementScopes] : writeScopes);

/** The caller's token lacks scopes. */
export class MissingScopesError extends InputError {
  /** All scopes that the request requires. */
  readonly scopes: readonly string[];

  constructor(message: string, scopes: readonly string[]) {
    super(message, 'FORBIDDEN');
    this.scopes = scopes;
  }
}

/**
 * Throws `MissingScopesError` if the caller lacks a scope for one of the operation's mutations; then none of them is
 * executed. Unverified callers are not checked here: the upstream decides.
 */
export function authorize(
  options: AuthorizationOptions,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  verified: VerifiedCaller | null,
): void {
  if (verified === null || operation.operation !== 'mutation') return;
  const fields = mutationsOf(document, operation);
  const all = [...new Set(fields.flatMap((field) => scopesOfMutation(options, field)))];
  for (const field of fields) requireScopes(scopesOfMutation(options, field), verified, `\`${field}\``, all);
}

const mutationsOf = (document: DocumentNode, operation: OperationDefinitionNode): readonly string[] =>
  [...rootFieldNames(document, operation)].filter((field) => !field.startsWith('__'));

/** Throws `MissingScopesError` if the caller lacks one of the scopes. Its roles count as scopes. */
export function requireScopes(
  scopes: readonly string[],
  verified: VerifiedCaller,
  what: string,
  all: readonly string[] = scopes,
): void {
  const missing = scopes.filter((scope) => !verified.scopes.has(scope));
  if (missing.length === 0) return;
  throw new MissingScopesError(
    `The token lacks the scope ${missing.join(' ')}, which ${what} requires.`,
    all,
  );
}
