import type { IncomingHttpHeaders } from 'node:http';

// Types that a browser shows without running anything in them. Any other file is only saved.
const shownTypes = new Set([
  'application/pdf',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]);

const passedOn: Readonly<Record<string, RegExp>> = {
  'content-length': /^\d{1,15}$/,
  'content-range': /^bytes (?:\d{1,15}-\d{1,15}|\*)\/(?:\d{1,15}|\*)$/,
  'accept-ranges': /^(?:bytes|none)$/,
  etag: /^(?:W\/)?"[\x21\x23-\x7e]{0,1000}"$/,
  'last-modified': /^[A-Za-z0-9, :]{1,40}$/,
};

/**
 * The headers of a response with an upstream's file. Of the upstream's own, only those about the bytes are passed on, and
 * only if they are well-formed. Whatever the file is, it can run nothing in the origin of the graph.
 */
export function fileResponseHeaders(headers: IncomingHttpHeaders, name: string): Record<string, string> {
  const type =
    String(headers['content-type'] ?? '')
      .split(';', 1)[0]
      ?.trim()
      .toLowerCase() ?? '';
  const isShown = shownTypes.has(type);
  const known = Object.entries(passedOn).flatMap(([header, pattern]) => {
    const value = headers[header];
    return typeof value === 'string' && pattern.test(value) ? [[header, value]] : [];
  });
  return {
    ...Object.fromEntries(known),
    'content-type': isShown ? type : 'application/octet-stream',
    'content-disposition': `${isShown ? 'inline' : 'attachment'}; ${fileNameParameters(name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    // Kept by its own client only, and asked for again each time.
    'cache-control': 'private, no-cache',
    vary: 'Authorization',
  };
}

/** RFC 6266: a name of plain characters, and the whole one percent-encoded (RFC 8187). */
function fileNameParameters(name: string): string {
  const plain = name.replace(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(Buffer.from(name).toString()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${encoded}`;
}
