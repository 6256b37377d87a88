import { decodeSegment } from '../http.ts';
import { Refusal } from '../refusal.ts';
import type { Dialect } from './dialect.ts';
import { isGuid } from './field-values.ts';
import type { RecordSet } from './records.ts';
import type { Company, Store } from './store.ts';

type Version = 'v1.0' | 'v2.0';

/** What a path of area A leads to. Every path but that of the companies is scoped by one company. */
export type BusinessAddress =
  | { readonly kind: 'companies'; readonly company: Company | undefined }
  | {
      readonly kind: 'collection';
      readonly version: Version;
      readonly company: Company;
      readonly set: RecordSet;
      readonly isCount: boolean;
    }
  | {
      readonly kind: 'record';
      readonly version: Version;
      readonly company: Company;
      readonly set: RecordSet;
      readonly id: string;
    };

interface Segment {
  readonly name: string;
  readonly key: string | undefined;
}

/** The sets with an address in v2.0; those the document does not name: gap, see docs/upstream.md. */
const addressed: ReadonlySet<string> = new Set([
  'customers',
  'items',
  'salesOrders',
  'salesOrderLines',
  'salesQuotes',
  'salesQuoteLines',
  'employees',
  'paymentTerms',
  'itemCategories',
  'unitsOfMeasure',
  'currencies',
  'shipmentMethods',
  'paymentMethods',
  'accounts',
  'taxAreas',
  'taxGroups',
]);

/** True for the paths that belong to area A. */
export function isBusinessPath(path: string): boolean {
  return path.startsWith('/api/');
}

/** Reads a path of area A; throws the refusal that fits the first segment that leads nowhere. */
export function readAddress(path: string, store: Store, dialect: Dialect): BusinessAddress {
  const [, , versionText = '', ...rest] = path.split('/');
  if (versionText !== 'v1.0' && versionText !== 'v2.0') throw segmentNotFound(versionText);
  const [root, leaf, tail, ...beyond] = rest.map(readSegment);

  if (root?.name !== 'companies') throw segmentNotFound(root?.name ?? '');
  if (leaf === undefined) {
    if (versionText === 'v1.0') throw segmentNotFound('companies');
    const company = root.key === undefined ? undefined : findCompany(root.key, store);
    return { kind: 'companies', company };
  }
  const company = findCompany(root.key ?? '', store);
  const set = setAt(versionText, leaf.name, dialect);

  const isCount = tail?.name === '$count' && leaf.key === undefined && beyond.length === 0;
  if (tail && !isCount) throw segmentNotFound(tail.name);
  if (leaf.key === undefined) return { kind: 'collection', version: versionText, company, set, isCount };
  return { kind: 'record', version: versionText, company, set, id: readKey(leaf.key) };
}

/** v1.0 exists for items alone (Versioning). */
function setAt(version: Version, name: string, dialect: Dialect): RecordSet {
  if (version === 'v1.0' && name === 'items') return dialect.itemsV1;
  if (version === 'v1.0' || !addressed.has(name)) throw segmentNotFound(name);
  return dialect.set(name);
}

function readSegment(raw: string): Segment {
  const text = decodeSegment(raw) ?? raw;
  const [, name = text, key] = /^([^()]*)\((.*)\)$/.exec(text) ?? [];
  return { name, key };
}

function findCompany(key: string, store: Store): Company {
  const company = store.companies.get(readKey(key));
  if (!company) throw new Refusal(404, 'Internal_CompanyNotFound', `Cannot find company ${key}.`);
  return company;
}

function readKey(key: string): string {
  if (isGuid(key)) return key.toLowerCase();
  throw new Refusal(
    400,
    'BadRequest_NotFound',
    `'${key.slice(0, 100)}' is not a valid key; a GUID is expected.`,
  );
}

/** The refusal of a path that leads nowhere, in the words of the real service. */
export function segmentNotFound(name: string): Refusal {
  return new Refusal(404, 'BadRequest_ResourceNotFound', `Resource not found for the segment '${name}'.`);
}
