import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';

/** How long a client may send nothing of an upload that is being read. */
const clientStallMs = 15_000;

/** Connections whose request is an upload. */
const uploading = new WeakSet<Socket>();

/**
 * Exempts the request of a connection from Node's limit on the time that a request takes to arrive: an upload is not read
 * before the upstream takes it, and that wait is not the client's. Call it again with false once it is answered.
 */
export function setUploading(socket: Socket, isUploading: boolean): void {
  if (isUploading) uploading.add(socket);
  else uploading.delete(socket);
}

export const isUploading = (socket: Socket): boolean => uploading.has(socket);

/** The client sent nothing for too long. */
export class UploadStalled extends Error {}

/**
 * The bytes of an upload, as a stream that can be destroyed without the connection, which the response still needs. Fails
 * when the client leaves, and with `UploadStalled` when it sends nothing although the upstream would take more.
 */
export function readUpload(request: IncomingMessage, stallMs = clientStallMs): Readable {
  const bytes = new PassThrough();
  const timer = setTimeout(() => {
    if (bytes.writableNeedDrain) timer.refresh();
    else bytes.destroy(new UploadStalled());
  }, stallMs);
  request.on('data', () => timer.refresh());
  request.once('end', () => clearTimeout(timer));
  bytes.once('close', () => clearTimeout(timer));
  request.once('close', () => {
    if (!request.complete) bytes.destroy(new Error('The client left before the upload was complete.'));
  });
  return request.pipe(bytes);
}
