import { decodeSegment } from '../http.ts';
import { Refusal } from '../refusal.ts';
import { isGuid } from './field-values.ts';
import { itemsV1 } from './item-v1.ts';
import { salesOrders } from './order-sets.ts';
import { customers, employees, items } from './record-sets.ts';
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

/** v1.0 exists for items alone (Versioning). */
const setsOf: Readonly<Record<Version, readonly RecordSet[]>> = {
  'v1.0': [itemsV1],
  'v2.0': [customers, items, salesOrders, employees],
};

/** True for the paths that belong to area A. */
export function isBusinessPath(path: string): boolean {
  return path.startsWith('/api/');
}

/** Reads a path of area A; throws the refusal that fits the first segment that leads nowhere. */
export function readAddress(path: string, store: Store): BusinessAddress {
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
  const set = setsOf[versionText].find((one) => one.name === leaf.name);
  if (!set) throw segmentNotFound(leaf.name);

  const isCount = tail?.name === '$count' && leaf.key === undefined && beyond.length === 0;
  if (tail && !isCount) throw segmentNotFound(tail.name);
  if (leaf.key === undefined) return { kind: 'collection', version: versionText, company, set, isCount };
  return { kind: 'record', version: versionText, company, set, id: readKey(leaf.key) };
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

function segmentNotFound(name: string): Refusal {
  return new Refusal(404, 'BadRequest_ResourceNotFound', `Resource not found for the segment '${name}'.`);
}
