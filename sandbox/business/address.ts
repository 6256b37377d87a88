import { ApiError } from '../api-error.ts';
import { decodeSegment } from '../http.ts';
import type { Dialect } from './dialect.ts';
import type { EntitySet } from './entity-set.ts';
import { entitySets } from './entity-sets.ts';
import { isGuid } from './field-values.ts';
import type { Company, Store } from './store.ts';

type Version = 'v1.0' | 'v2.0';

/** The target of a path of area A. All paths except those of companies are within one company. */
export type BusinessAddress =
  | { readonly kind: 'companies'; readonly company: Company | undefined }
  | {
      readonly kind: 'collection';
      readonly version: Version;
      readonly company: Company;
      readonly set: EntitySet;
      /** For lines below their document: its id. */
      readonly documentId?: string;
      readonly isCount: boolean;
    }
  | {
      readonly kind: 'record';
      readonly version: Version;
      readonly company: Company;
      readonly set: EntitySet;
      /** For a line below its document: the id of the document. */
      readonly documentId?: string;
      readonly id: string;
    };

interface PathSegment {
  readonly name: string;
  readonly key: string | undefined;
}

/** True for the paths that belong to area A. */
export function isBusinessPath(path: string): boolean {
  return path.startsWith('/api/');
}

/** Parses a path of area A. Throws an `ApiError` for the first invalid segment. */
export function parseAddress(path: string, store: Store, dialect: Dialect): BusinessAddress {
  const [, , versionText = '', ...rest] = path.split('/');
  if (versionText !== 'v1.0' && versionText !== 'v2.0') throw segmentNotFoundError(versionText);
  const [root, leaf, tail, ...beyond] = rest.map(parseSegment);

  if (root?.name !== 'companies') throw segmentNotFoundError(root?.name ?? '');
  if (leaf === undefined) {
    if (versionText === 'v1.0') throw segmentNotFoundError('companies');
    const company = root.key === undefined ? undefined : findCompany(root.key, store);
    return { kind: 'companies', company };
  }
  const company = findCompany(root.key ?? '', store);
  const set = findSet(versionText, leaf.name, dialect);

  const lines = leaf.key === undefined || tail === undefined ? undefined : findLines(set, tail.name, dialect);
  if (lines && leaf.key !== undefined && beyond.length === 0) {
    const below = { version: versionText, company, set: lines, documentId: parseKey(leaf.key) } as const;
    return tail?.key === undefined
      ? { kind: 'collection', ...below, isCount: false }
      : { kind: 'record', ...below, id: parseKey(tail.key) };
  }
  const isCount = tail?.name === '$count' && leaf.key === undefined && beyond.length === 0;
  if (tail && !isCount) throw segmentNotFoundError(tail.name);
  if (leaf.key === undefined) return { kind: 'collection', version: versionText, company, set, isCount };
  return { kind: 'record', version: versionText, company, set, id: parseKey(leaf.key) };
}

/** v1.0 has items only (Versioning). */
function findSet(version: Version, name: string, dialect: Dialect): EntitySet {
  if (version === 'v1.0' && name === 'items') return dialect.itemsV1;
  const set = entitySets.some((one) => one.name === name) ? dialect.set(name) : undefined;
  if (version === 'v1.0' || !set?.hasAddress) throw segmentNotFoundError(name);
  return set;
}

/** The set of the lines below a document, where lines have addresses below it. */
function findLines(set: EntitySet, name: string, dialect: Dialect): EntitySet | undefined {
  const lines = set.document?.lines.name === name ? dialect.set(name) : undefined;
  return lines?.writes.length ? lines : undefined;
}

function parseSegment(raw: string): PathSegment {
  const text = decodeSegment(raw) ?? raw;
  const [, name = text, key] = /^([^()]*)\((.*)\)$/.exec(text) ?? [];
  return { name, key };
}

function findCompany(key: string, store: Store): Company {
  const company = store.companies.get(parseKey(key));
  if (!company) throw new ApiError(404, 'Internal_CompanyNotFound', `Cannot find company ${key}.`);
  return company;
}

function parseKey(key: string): string {
  if (isGuid(key)) return key.toLowerCase();
  throw new ApiError(
    400,
    'BadRequest_NotFound',
    `'${key.slice(0, 100)}' is not a valid key; a GUID is expected.`,
  );
}

/** The error for an unknown path, with the text of the real service. */
export function segmentNotFoundError(name: string): ApiError {
  return new ApiError(404, 'BadRequest_ResourceNotFound', `Resource not found for the segment '${name}'.`);
}
