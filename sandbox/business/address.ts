import { ApiError, businessRuleError } from '../api-error.ts';
import { type ApiRequest, type ApiResponse, decodeSegment, jsonResponse, parseQuery } from '../http.ts';
import type { Dialect } from './dialect.ts';
import {
  type Company,
  type EntitySet,
  type FileName,
  type StoredRecord,
  standardRoute,
  v1Route,
} from './entity-set.ts';
import { entitySets, splitRoute } from './entity-sets.ts';
import { presentRecord, readRecord } from './query/present.ts';
import { readEntityOptions } from './query/query.ts';
import { idOf, recordsOf, type Store } from './store.ts';
import { isGuid } from './writes/field-values.ts';

/** The target of a path of area A. All paths except those of companies are within one company. */
export type BusinessAddress =
  | CompaniesAddress
  | CollectionAddress
  | RecordAddress
  | ActionAddress
  | FileAddress;

export interface CompaniesAddress {
  readonly kind: 'companies';
  readonly route: string;
  /** Undefined for the list. */
  readonly company: Company | undefined;
}

export interface CollectionAddress extends SetAddress {
  readonly kind: 'collection';
}

export interface RecordAddress extends SetAddress {
  readonly kind: 'record';
  readonly id: string;
}

interface SetAddress {
  readonly route: string;
  readonly company: Company;
  readonly set: EntitySet;
  /** For lines below their document: its id. */
  readonly documentId?: string;
}

/** The address of an action of a record, such as `salesOrders({id})/Microsoft.NAV.shipAndInvoice`. */
export interface ActionAddress {
  readonly kind: 'action';
  readonly name: string;
  readonly of: RecordAddress;
}

/** The address of the bytes of a file that belongs to a record, such as `items({id})/picture/pictureContent`. */
export interface FileAddress {
  readonly kind: 'file';
  readonly name: FileName;
  readonly of: RecordAddress;
}

type PathSegment = ReturnType<typeof parseSegment>;

const filePaths: readonly (readonly [name: FileName, path: string])[] = [
  ['picture', 'picture/pictureContent'],
  ['pdfDocument', 'pdfDocument/pdfDocumentContent'],
  ['attachmentContent', 'attachmentContent'],
  ['logo', 'picture'],
];

/** True for the paths that belong to area A. */
export function isBusinessPath(path: string): boolean {
  return path.startsWith('/api/');
}

/** Parses a path of area A. Throws an `ApiError` for the first invalid segment. */
export function parseAddress(path: string, store: Store, dialect: Dialect): BusinessAddress {
  const split = splitRoute(path);
  if (!split) throw segmentNotFoundError(path.split('/')[2] ?? '');
  const { route } = split;
  const [root, leaf, tail, ...beyond] = split.rest.split('/').map(parseSegment);

  if (root?.name !== 'companies') throw segmentNotFoundError(root?.name ?? '');
  if (leaf === undefined) {
    if (route === v1Route) throw segmentNotFoundError('companies');
    const company = root.key === undefined ? undefined : findCompany(root.key, store);
    return { kind: 'companies', route, company };
  }
  const company = findCompany(root.key ?? '', store);
  const set = findSet(route, leaf.name, dialect);
  if (leaf.key === undefined) {
    if (tail) throw segmentNotFoundError(tail.name);
    return { kind: 'collection', route, company, set };
  }
  const record = { kind: 'record', route, company, set, id: parseGuidKey(leaf.key) } as const;
  return tail ? parseBelowRecord(record, tail, beyond, dialect) : record;
}

/** Parses what follows the key of a record: its lines, an action or a file. */
function parseBelowRecord(
  record: RecordAddress,
  tail: PathSegment,
  beyond: readonly PathSegment[],
  dialect: Dialect,
): BusinessAddress {
  const { route, company, set } = record;
  const lines = findLines(set, tail.name, dialect);
  if (lines && beyond.length === 0) {
    const ofLines = { route, company, set: lines, documentId: record.id } as const;
    return tail.key === undefined
      ? { kind: 'collection', ...ofLines }
      : { kind: 'record', ...ofLines, id: parseGuidKey(tail.key) };
  }
  const action = /^Microsoft\.NAV\.(\w+)$/.exec(tail.name)?.[1];
  if (action && set.actions?.includes(action) && beyond.length === 0 && tail.key === undefined)
    return { kind: 'action', name: action, of: record };
  const below = [tail, ...beyond].map((segment) => segment.name).join('/');
  const [file] = filePaths.find(([name, path]) => path === below && set.files?.includes(name)) ?? [];
  if (file) return { kind: 'file', name: file, of: record };
  throw segmentNotFoundError(tail.name);
}

/** v1.0 has items only (Versioning). */
function findSet(route: string, name: string, dialect: Dialect): EntitySet {
  if (route === v1Route && name === 'items') return dialect.itemsV1;
  const set = entitySets.some((one) => one.name === name) ? dialect.set(name) : undefined;
  if (!set?.hasAddress || (set.route ?? standardRoute) !== route) throw segmentNotFoundError(name);
  return set;
}

/** The set of the lines below a document. */
function findLines(set: EntitySet, name: string, dialect: Dialect): EntitySet | undefined {
  const isOfSet = entitySets.some((one) => one.name === name && one.linesOf === set.name);
  return isOfSet ? dialect.set(name) : undefined;
}

function parseSegment(raw: string) {
  const text = decodeSegment(raw) ?? raw;
  const [, name = text, key] = /^([^()]*)\((.*)\)$/.exec(text) ?? [];
  return { name, key };
}

/** The key of a record, a GUID, in lower case. Throws an `ApiError` (400) for anything else. */
function parseGuidKey(key: string): string {
  if (isGuid(key)) return key.toLowerCase();
  throw new ApiError(
    400,
    'BadRequest_NotFound',
    `'${key.slice(0, 100)}' is not a valid key; a GUID is expected.`,
  );
}

function findCompany(key: string, store: Store): Company {
  const company = store.companies.get(parseGuidKey(key));
  if (!company) throw new ApiError(404, 'Internal_CompanyNotFound', `Cannot find company ${key}.`);
  return company;
}

/** The error for an unknown path, with the text of the real service. */
export function segmentNotFoundError(name: string): ApiError {
  return new ApiError(404, 'BadRequest_ResourceNotFound', `Resource not found for the segment '${name}'.`);
}

export type RecordLocation = ReturnType<typeof locationFor>;

export function locationFor(request: ApiRequest, { route, company, set }: CollectionAddress | RecordAddress) {
  const context = `${request.origin}/api/${route}/$metadata#companies(${idOf(company.record)})/${set.name}`;
  return { set, company, context };
}

/** Responds with a record, with the fields that the query selects. */
export function respondWithRecord(
  status: number,
  request: ApiRequest,
  record: StoredRecord,
  { set, company, context }: RecordLocation,
  dialect: Dialect,
): ApiResponse {
  const options = readEntityOptions(parseQuery(request.query), set, dialect);
  return jsonResponse(status, {
    '@odata.context': `${context}/$entity`,
    ...presentRecord(set, record, options, company),
  });
}

/** Returns the record or line of an address. Throws an `ApiError` (404) when there is none. */
export function findAddressedRecord(address: RecordAddress, dialect: Dialect): StoredRecord {
  const { set, company, id } = address;
  const record =
    set.linesOf === undefined
      ? readRecord(company, set, id)
      : findDocumentOfLine(address)?.lines.find((line) => line.values.id === id);
  if (!record) {
    throw recordNotFoundError(set, dialect);
  }
  return record;
}

/** Finds the document that a line belongs to; below a document, that one only. */
export function findDocumentOfLine({
  company,
  set,
  documentId,
  id,
}: RecordAddress): StoredRecord | undefined {
  const documents = recordsOf(company, set.linesOf ?? '');
  const candidates = documentId === undefined ? [...documents.values()] : [documents.get(documentId)];
  return candidates.find((document) => document?.lines.some((line) => line.values.id === id));
}

/** The lines below a document. Throws an `ApiError` (400) without one: lines are not listed by themselves. */
export function linesBelow({ company, set, documentId }: CollectionAddress): readonly StoredRecord[] {
  if (documentId === undefined)
    throw businessRuleError('You must specify an Id or a Document Id to get the lines.');
  return recordsOf(company, set.linesOf ?? '').get(documentId)?.lines ?? [];
}

export const recordNotFoundError = (
  { name }: EntitySet,
  { missingRecordCode: missingRecord }: Dialect,
): ApiError => new ApiError(404, missingRecord, `Resource not found for the segment '${name}'.`);
