import { ApiError } from '../api-error.ts';
import type { Caller } from '../bearer.ts';
import { type ApiRequest, type ApiResponse, emptyResponse } from '../http.ts';
import type { BusinessAddress } from './address.ts';
import type { Dialect } from './dialect.ts';
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

/** A PDF of one page with lines of plain text (ISO 32000-1). Other characters than those of ASCII become question marks. */
function createPdf(lines: readonly string[]): Uint8Array {
  const shown = lines.map((line) => `(${escapeText(line)}) Tj 0 -20 Td`).join(' ');
  const content = `BT /F1 14 Tf 72 770 Td ${shown} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

const escapeText = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').replace(/[\\()]/g, '\\$&');
