// An upstream with 1,000 orders, whose ids, names and amounts all differ. Compresses each response anew when it is
// asked to, but none below /plain.
import { randomInt, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createGzip, gzipSync } from 'node:zlib';

const pick = (...words) => words[randomInt(words.length)];
const name = () =>
  `${pick('Hollow', 'Redfern', 'Ironwood', 'Saltmarsh', 'Harbour')} ${pick('Stores', 'Design', 'Gardens', 'Partners', 'Works')} ${randomInt(9999)}`;
const customers = Array.from({ length: 200 }, (_, n) => ({
  id: randomUUID(),
  number: `C${10_000 + n * 10}`,
  name: name(),
  line1: `${randomInt(999)} ${pick('Market Square', 'Station Road', 'Mill Lane', 'Harbour Street')}`,
  city: pick('Atlanta', 'Aarhus', 'Leeds', 'Lyon', 'Oslo', 'Porto'),
  post: String(randomInt(10_000, 99_999)),
}));
const terms = Array.from({ length: 6 }, () => randomUUID());
const address = (kind, { line1, city, post }) => ({
  [`${kind}AddressLine1`]: line1,
  [`${kind}AddressLine2`]: '',
  [`${kind}City`]: city,
  [`${kind}Country`]: 'US',
  [`${kind}State`]: '',
  [`${kind}PostCode`]: post,
});
const rows = Array.from({ length: 1000 }, (_, n) => {
  const customer = pick(...customers);
  const amount = randomInt(10_000, 9_999_999) / 100;
  const day = `2026-0${randomInt(1, 9)}-${randomInt(10, 28)}`;
  return {
    '@odata.etag': `W/"${Buffer.from(`'20;${randomInt(2 ** 47)};00;'`).toString('base64')}"`,
    id: randomUUID(),
    number: `S-ORD${101_000 + n}`,
    externalDocumentNumber: `PO-${randomInt(999_999)}`,
    orderDate: day,
    postingDate: day,
    requestedDeliveryDate: '0001-01-01',
    customerId: customer.id,
    customerNumber: customer.number,
    customerName: customer.name,
    billToCustomerId: customer.id,
    billToCustomerNumber: customer.number,
    billToName: customer.name,
    shipToName: customer.name,
    shipToContact: `${pick('Ada', 'Grace', 'Alan', 'Edsger')} ${pick('Stone', 'Field', 'Brook')}`,
    ...address('sellTo', customer),
    ...address('billTo', customer),
    ...address('shipTo', customer),
    currencyId: '00000000-0000-0000-0000-000000000000',
    currencyCode: 'USD',
    pricesIncludeTax: false,
    paymentTermsId: pick(...terms),
    shipmentMethodId: pick(...terms),
    salesperson: pick('JO', 'LT', 'BC'),
    partialShipping: true,
    discountAmount: 0,
    totalAmountExcludingTax: amount,
    totalTaxAmount: Math.round(amount * 25) / 100,
    totalAmountIncludingTax: amount + Math.round(amount * 25) / 100,
    fullyShipped: true,
    status: pick('Draft', 'Open'),
    lastModifiedDateTime: `${day}T10:${randomInt(10, 59)}:${randomInt(10, 59)}.${randomInt(100, 999)}Z`,
    phoneNumber: '',
    email: '',
  };
});
const page = Buffer.from(JSON.stringify({ value: rows }));

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  const isPlain = request.url.startsWith('/plain/') || !/\bgzip\b/.test(request.headers['accept-encoding']);
  if (isPlain) return response.end(page);
  response.setHeader('content-encoding', 'gzip');
  const gzip = createGzip();
  gzip.pipe(response);
  return gzip.end(page);
});

server.listen(0, '127.0.0.1', () =>
  process.send({ port: server.address().port, bytes: page.length, compressedBytes: gzipSync(page).length }),
);
