// An upstream with 20,000 customers. The first path segment selects its behaviour: `paged` honours the page size, `whole`
// ignores it, `digits` also returns one number of 19 digits.
import { createServer } from 'node:http';

const total = 20_000;
const hex = (n, length) => n.toString(16).padStart(length, '0');

const rows = Array.from({ length: total }, (_, n) =>
  JSON.stringify({
    '@odata.etag': `W/"${Buffer.from(`'19;${10 ** 15 + n};00;'`).toString('base64')}"`,
    id: `5d115c9c-44e3-4a11-bb43-${hex(n, 12)}`,
    number: `C${n}`,
    displayName: `Customer ${n}`,
    type: 'Company',
    addressLine1: `${n} Market Square`,
    addressLine2: '',
    city: 'Atlanta',
    state: 'GA',
    country: 'US',
    postalCode: '31772',
    phoneNumber: '',
    email: `customer.${n}@example.test`,
    website: '',
    balanceDue: n / 100,
    creditLimit: 0,
    taxLiable: true,
    taxAreaId: `7d115c9c-44e3-4a11-bb43-${hex(n % 9, 12)}`,
    taxAreaDisplayName: 'ATLANTA, GA',
    taxRegistrationNumber: '',
    currencyId: '00000000-0000-0000-0000-000000000000',
    currencyCode: 'USD',
    paymentTermsId: `8d115c9c-44e3-4a11-bb43-${hex(n % 5, 12)}`,
    shipmentMethodId: '00000000-0000-0000-0000-000000000000',
    paymentMethodId: '00000000-0000-0000-0000-000000000000',
    blocked: ' ',
    lastModifiedDateTime: '2026-08-21T00:24:31.777Z',
  }),
);
const bodyOf = (some, next) =>
  `{"value":[${some.join(',')}]${next === null ? '' : `,"@odata.nextLink":"${next}"`}}`;
const whole = bodyOf(rows, null);
const digits = whole.replace('"creditLimit":0', '"creditLimit":1234567890123456.789');

const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://upstream');
  response.setHeader('content-type', 'application/json');
  if (url.pathname.startsWith('/whole/')) return response.end(whole);
  if (url.pathname.startsWith('/digits/')) return response.end(digits);
  const size = Number(/maxpagesize=(\d+)/.exec(request.headers.prefer)?.[1] ?? total);
  const start = Number(url.searchParams.get('$skiptoken') ?? 0);
  const end = Math.min(start + size, total);
  const next = end < total ? `http://upstream${url.pathname}?$skiptoken=${end}` : null;
  return response.end(bodyOf(rows.slice(start, end), next));
});

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port, bytes: whole.length }));
