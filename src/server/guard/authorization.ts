import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode, visit } from 'graphql';
import { InputError } from '../../errors.ts';
import { listFragments } from '../../graph/selection.ts';
import type { VerifiedCaller } from './token-verification.ts';

export interface AuthorizationOptions {
  /** Scopes required by mutations of records. */
  readonly writeScopes: readonly string[];
  readonly operateScopes: readonly string[];
  /** Scopes required for any request to areas B and C. */
  readonly managementScopes: readonly string[];
}

// Matches the mutations of one instance of any kind, and of several.
const operateMutation = /^(stop|start)[A-Z]\w*Instances?$/;

/** Returns the scopes that a mutation requires, all of them. */
const getRequiredScopes = (
  { writeScopes, operateScopes, managementScopes }: AuthorizationOptions,
  field: string,
): readonly string[] => (operateMutation.test(field) ? [...operateScopes, ...managementScopes] : writeScopes);

export class MissingScopesError extends InputError {
  /** All scopes that the request requires. */
  readonly scopes: readonly string[];

  constructor(message: string, scopes: readonly string[]) {
    super(message, 'FORBIDDEN');
    this.scopes = scopes;
  }
}

/**
 * Throws `MissingScopesError` if the caller lacks a scope for one of the root fields of a mutation, so that none is
 * executed. Unverified callers are not checked: the upstream decides.
 */
export function authorize(
  options: AuthorizationOptions,
  rootFields: ReadonlySet<string>,
  verified: VerifiedCaller | null,
): void {
  if (verified === null) return;
  const fields = [...rootFields].filter((field) => !field.startsWith('__'));
  const all = [...new Set(fields.flatMap((field) => getRequiredScopes(options, field)))];
  for (const field of fields) requireScopes(getRequiredScopes(options, field), verified, `\`${field}\``, all);
}

/** Throws `MissingScopesError` if the caller lacks one of the scopes. `what` requires them, and `all` are reported. */
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

/** Returns the names of an operation's root fields, ignoring `@skip` and `@include`. */
export function listRootFields(
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
): ReadonlySet<string> {
  const fragments = listFragments(document);
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

/** Upstream services as bits: area A is one service, areas B and C share another. */
export const businessArea = 1;
export const managementArea = 2;

const fieldsWithoutUpstream = new Set(['__typename', '__schema', '__type', '_service', 'upstreams']);
const managementFields = new Set([
  'applicationInstance',
  'healthEvent',
  'healthEvents',
  'instanceOperation',
  'managementSubscriptions',
  'operations',
  'healthEventChanged',
  'healthEventsChanged',
  'operationProgress',
  'operationsProgress',
  'virtualInstance',
  'virtualInstances',
]);
const managementEntities = new Set([
  'ApplicationInstance',
  'CentralInstance',
  'DatabaseInstance',
  'HealthEvent',
  'InstanceOperation',
  'VirtualInstance',
]);
const entityFields = new Set(['_entities', 'node', 'nodes']);

/** Returns the areas that an operation with these root fields may call. */
export function findAreas(document: DocumentNode, rootFields: ReadonlySet<string>): number {
  let areas = 0;
  for (const field of rootFields) {
    if (entityFields.has(field)) areas |= findEntityAreas(document);
    else if (operateMutation.test(field) || managementFields.has(field)) areas |= managementArea;
    else if (!fieldsWithoutUpstream.has(field)) areas |= businessArea;
  }
  return areas;
}

/**
 * Returns the areas of the types in the document's fragments, with which routers select entities; both if there are
 * none.
 */
function findEntityAreas(document: DocumentNode): number {
  let areas = 0;
  visit(document, {
    NamedType({ name }, _key, parent) {
      const isCondition = parent && 'kind' in parent && /Fragment/.test(parent.kind);
      if (!isCondition || name.value === 'Node') return;
      areas |= managementEntities.has(name.value) ? managementArea : businessArea;
    },
  });
  return areas || businessArea | managementArea;
}
