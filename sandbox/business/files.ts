import { ApiError } from '../api-error.ts';
import type { Caller } from '../bearer.ts';
import type { ApiRequest, ApiResponse } from '../http.ts';
import { emptyResponse } from '../http.ts';
import type { BusinessAddress } from './address.ts';
import type { Dialect } from './dialect.ts';
import { createPdf } from './pdf.ts';
import { findAddressedRecord } from './record-responses.ts';
import type { Store } from './store.ts';
import { checkCanWrite, checkRequiredIfMatch } from './writes/preconditions.ts';

type FileAddress = Extract<BusinessAddress, { kind: 'file' }>;

// The first bytes of types that browsers show.
const knownTypes: readonly (readonly [start: string, type: string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['25504446', 'application/pdf'],
];

/** Handles a GET of a file: one that was uploaded, or a page with the number and total of a document. */
export function respondWithFile({ name, of }: FileAddress, dialect: Dialect): ApiResponse {
  const { values } = findAddressedRecord(of, dialect);
  if (name === 'pdfDocument') {
    const lines = [
      String(values.number),
      String(values.customerName ?? values.vendorName),
      `Total ${values.totalAmountIncludingTax}`,
    ];
    return { status: 200, headers: { 'content-type': 'application/pdf' }, body: createPdf(lines) };
  }
  const bytes = of.company.files.get(keyOf(of));
  if (!bytes) return emptyResponse(204);
  return { status: 200, headers: { 'content-type': typeOf(bytes) }, body: bytes };
}

/** Handles a PATCH of a picture or an attachment. */
export function replaceFile(
  request: ApiRequest,
  caller: Caller,
  { name, of }: FileAddress,
  { store, dialect }: { readonly store: Store; readonly dialect: Dialect },
): ApiResponse {
  checkCanWrite(caller);
  const record = findAddressedRecord(of, dialect);
  if (name === 'pdfDocument')
    throw new ApiError(405, 'BadRequest_MethodNotAllowed', 'A PDF cannot be replaced.');
  checkRequiredIfMatch(request, record, dialect);
  if (name === 'picture' && !typeOf(request.bytes).startsWith('image/'))
    throw new ApiError(400, 'Application_DialogException', 'The file is not a picture.');
  of.company.files.set(keyOf(of), request.bytes);
  if (name === 'attachmentContent')
    store.change(record, { ...record.values, byteSize: request.bytes.length });
  return emptyResponse(204);
}

const keyOf = ({ set, id }: FileAddress['of']) => `${set.name} ${id}`;
const startOf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 8)).toString('hex');
const typeOf = (bytes: Uint8Array) =>
  knownTypes.find(([start]) => startOf(bytes).startsWith(start))?.[1] ?? 'application/octet-stream';
