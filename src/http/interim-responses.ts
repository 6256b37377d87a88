import type { Socket } from 'node:net';

const start = Buffer.from('HTTP/1.1 1');
const switching = Buffer.from('HTTP/1.1 101');
const headEnd = '\r\n\r\n';
// A longer header is passed on unchanged.
const maxInterimHeadBytes = 16 * 1024;
const noBytes: Buffer = Buffer.alloc(0);

/**
 * Removes 1xx responses from what is read of a connection. A client that has not asked for one must be able to read it, and
 * may ignore it (RFC 9110, section 15.2), but undici 7 closes the connection at a `100 Continue`. Relies on one request at a
 * time, and on `read` being the only way the socket is read.
 */
export function skipInterimResponses<Connected extends Pick<Socket, 'read' | 'bytesWritten'>>(
  socket: Connected,
): Connected {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let bytesWritten = -1;
  let isAtStart = true;
  let pending = noBytes;

  socket.read = (size?: number) => {
    const chunk = read(size);
    if (chunk === null) return null;
    // A request was sent since the last response began: this is the beginning of the next response.
    if (socket.bytesWritten !== bytesWritten) {
      bytesWritten = socket.bytesWritten;
      isAtStart = true;
    }
    if (!isAtStart) return chunk;
    let bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    while (isInterim(bytes)) {
      const end = bytes.indexOf(headEnd);
      if (end === -1 && bytes.length > maxInterimHeadBytes) break;
      if (end === -1) {
        pending = bytes;
        return null;
      }
      bytes = bytes.subarray(end + headEnd.length);
    }
    isAtStart = false;
    pending = noBytes;
    return bytes;
  };
  return socket;
}

/** Whether these bytes begin, or may begin, a 1xx response other than 101, which ends HTTP on the connection. */
function isInterim(bytes: Buffer): boolean {
  const known = bytes.subarray(0, start.length);
  if (!start.subarray(0, known.length).equals(known)) return false;
  return !bytes.subarray(0, switching.length).equals(switching);
}
