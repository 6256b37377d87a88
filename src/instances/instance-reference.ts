import { readNodeKey } from '../graph/nodes.ts';
import { invalidInput, type UserError } from '../graph/user-errors.ts';
import { type ActionKind, actionKinds } from './actions/action-kinds.ts';
import { type ActionTarget, validateInstanceAddress } from './instance-address.ts';

/** Names a resource, by one of these (`@oneOf`). */
export interface InstanceReference {
  readonly nodeId?: string | null | undefined;
  readonly names?: ActionTarget | null | undefined;
}

/** The address that a reference names; null for a `nodeId` that the graph gives to nothing of this kind. */
export function findReferencedAddress(
  { type, names: fields }: ActionKind,
  { nodeId, names }: InstanceReference,
): ActionTarget | null {
  if (names) return names;
  const values = readNodeKey(type, nodeId ?? '') ?? [];
  if (values.length !== fields.length) return null;
  const address = Object.fromEntries(
    fields.map(([field], index) => [field, values[index]]),
  ) as unknown as ActionTarget;
  return validateInstanceAddress(address).length === 0 ? address : null;
}

/** The kind and the address that a `nodeId` of any kind names; null for one that names nothing of area B. */
export function findNodeAddress(
  nodeId: string,
): { readonly kind: ActionKind; readonly address: ActionTarget } | null {
  for (const kind of actionKinds) {
    const address = findReferencedAddress(kind, { nodeId });
    if (address) return { kind, address };
  }
  return null;
}

export const unknownNodeId = ({ title }: ActionKind): UserError =>
  invalidInput(
    `This is not the \`nodeId\` of ${withArticle(title)}. Pass one as it was returned.`,
    'instance',
    'nodeId',
  );

export const withArticle = (title: string): string => `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`;
