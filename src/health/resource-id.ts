import { findSegmentFault } from '../http/path-segment.ts';

/** The id of a resource in a resource group of a subscription, which is its path at the upstream. */
export interface ResourceId {
  /** The path, each segment encoded, and that of the resource group. */
  readonly path: string;
  readonly group: string;
  /** The same for equal ids: their case and encoding make no difference. */
  readonly key: string;
}

const maxIdLength = 2_048;

/** Parses the id of a resource; null for any other text, and for one whose segments no path can contain. */
export function parseResourceId(text: string): ResourceId | null {
  if (text.length > maxIdLength) return null;
  const [before, ...segments] = text.replace(/\/$/, '').split('/').map(decodeOrKeep);
  const [subscriptions, , groups, , providers, ...resource] = segments;
  const isResourceId =
    before === '' &&
    subscriptions?.toLowerCase() === 'subscriptions' &&
    groups?.toLowerCase() === 'resourcegroups' &&
    providers?.toLowerCase() === 'providers' &&
    // A namespace, then pairs of kind and name.
    resource.length >= 3 &&
    resource.length % 2 === 1 &&
    segments.every((segment) => findSegmentFault(segment) === null);
  if (!isResourceId) return null;
  const encoded = segments.map((segment) => `/${encodeURIComponent(segment)}`);
  return {
    path: encoded.join(''),
    group: encoded.slice(0, 4).join(''),
    key: `/${segments.join('/')}`.toLowerCase(),
  };
}

function decodeOrKeep(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
