import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect } from 'vitest';
import { startLayerForTest, type TestLayer, testToken, testWith } from '../../support/layer.ts';

const settings = { BUSINESS_DIALECT: 'dynamics' };
const test = testWith({ dialect: 'dynamics' }, settings);

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const authorization = `Bearer ${testToken}`;

const pictureOf = async (layer: TestLayer, token?: string) => {
  const { data, errors } = await layer.query(
    '{ company { items(first: 1) { nodes { picture { url name isReplaceable } } } } }',
    {},
    token ? { authorization: `Bearer ${token}` } : {},
  );
  expect(errors).toBeUndefined();
  return data.company.items.nodes[0].picture;
};

const pdfOf = async (layer: TestLayer) => {
  const { data } = await layer.query(
    '{ company { salesInvoices(first: 1) { nodes { number pdf { url name isReplaceable } } } } }',
  );
  return data.company.salesInvoices.nodes[0];
};

const send = (layer: TestLayer, url: string, init: RequestInit = {}) =>
  fetch(layer.url + url, { ...init, headers: { authorization, ...init.headers } });

const put = (layer: TestLayer, url: string, body: Uint8Array, headers: Record<string, string> = {}) =>
  send(layer, url, { method: 'PUT', body, headers });

const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { errors: { extensions: { code: string } }[] }).errors[0]?.extensions.code,
];

describe('the address of a file', () => {
  test('costs no call, and names nothing of the caller or the upstream', async ({ layer, sandbox }) => {
    const { url, name, isReplaceable } = await pictureOf(layer);

    expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['GET']);
    expect(url).toMatch(/^\/files\/[\w.-]+$/);
    expect(Buffer.from(url.split('.').join(''), 'base64url').toString('latin1')).not.toContain('companies');
    expect(name).toMatch(/^Item-\d+$/);
    expect(isReplaceable).toBe(true);
  });

  test('begins with PUBLIC_URL, and works for FILE_URL_SECONDS', async ({ sandbox }) => {
    const layer = await startLayerForTest(sandbox.url, {
      ...settings,
      PUBLIC_URL: 'https://graph.example/api/',
      FILE_URL_SECONDS: '1',
    });
    const { url } = await pictureOf(layer);
    const path = url.slice('https://graph.example/api'.length);
    const first = await send(layer, path);

    await expect.poll(async () => (await send(layer, path)).status, { timeout: 3_000 }).toBe(403);

    expect(url).toMatch(/^https:\/\/graph\.example\/api\/files\//);
    expect(first.status).toBe(204);
  });

  test('is 403 for another caller, when it is changed, and for another deployment', async ({
    layer,
    sandbox,
  }) => {
    const { url } = await pictureOf(layer);
    const other = await startLayerForTest(sandbox.url, {
      ...settings,
      OPERATION_SECRETS: 'another secret of tests',
    });
    await sandbox.forgetCalls();

    const answers = [
      await fetch(layer.url + url, { headers: { authorization: 'Bearer somebody-else' } }),
      await fetch(layer.url + url),
      await send(layer, `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`),
      await send(layer, `/files/${'x'.repeat(9_000)}`),
      await send(other, url),
    ];

    for (const answer of answers) expect(await codeOf(answer)).toEqual([403, 'FORBIDDEN']);
    expect(await sandbox.calls()).toEqual([]);
  });
});

describe('a file', () => {
  test('that is a PDF is one call, shown in its own name, and can run nothing', async ({
    layer,
    sandbox,
  }) => {
    const { number, pdf } = await pdfOf(layer);
    await sandbox.forgetCalls();

    const response = await send(layer, pdf.url);
    const bytes = Buffer.from(await response.arrayBuffer());

    expect(response.status).toBe(200);
    expect(bytes.toString('latin1')).toMatch(/^%PDF-1\.4[\s\S]*%%EOF\n$/);
    expect(bytes.toString('latin1')).toContain(number);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(bytes.length),
      'content-disposition': `inline; filename="SalesInvoice-${number}.pdf"; filename*=UTF-8''SalesInvoice-${number}.pdf`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      vary: 'Authorization',
    });
    const calls = await sandbox.calls();
    expect(calls.map(({ path }) => path.replace(/^.*\)/, ''))).toEqual(['/pdfDocument/pdfDocumentContent']);
    expect(pdf.isReplaceable).toBe(false);
  });

  test('is uploaded by PUT, and read again from the primary', async ({ layer, sandbox }) => {
    const ofUploader = { authorization: `Bearer uploader-${Date.now()}` };
    const { url } = await pictureOf(layer, ofUploader.authorization.slice(7));
    await sandbox.forgetCalls();

    const before = await send(layer, url, { headers: ofUploader });
    const uploaded = await put(layer, url, png, ofUploader);
    const after = await send(layer, url, { headers: ofUploader });
    const head = await send(layer, url, { method: 'HEAD', headers: ofUploader });

    expect([before.status, uploaded.status, after.status, head.status]).toEqual([204, 204, 200, 200]);
    expect(Buffer.from(await after.arrayBuffer())).toEqual(png);
    expect(after.headers.get('content-type')).toBe('image/png');
    expect(head.headers.get('content-length')).toBe(String(png.length));
    expect(await head.text()).toBe('');
    const [first, patch, second] = await sandbox.calls();
    expect(patch?.headers).toMatchObject({ 'if-match': '*', 'content-type': 'application/octet-stream' });
    expect(first?.headers['data-access-intent']).toBeUndefined();
    expect(second?.headers['data-access-intent']).toBe('ReadWrite');
  });

  test('is not replaced where it cannot be, by an old tag, or by what is no picture', async ({ layer }) => {
    const { url } = await pictureOf(layer);
    const { pdf } = await pdfOf(layer);

    expect(await codeOf(await put(layer, pdf.url, png))).toEqual([403, 'FORBIDDEN']);
    expect((await put(layer, url, png, { 'if-match': 'W/"old"' })).status).toBe(412);
    expect(await codeOf(await put(layer, url, Buffer.from('<script>')))).toEqual([502, 'UPSTREAM_REJECTED']);
    expect((await send(layer, url)).status).toBe(204);
  });

  test.for([
    ['is cut before it was made', { reset: 'before' }, 204],
    ['is cut after it was made', { reset: 'after' }, 200],
    ['is answered with a page', { method: 'PATCH', status: 200, body: '<html>Sign in</html>' }, 204],
    ['may be carried out later', { method: 'PATCH', status: 202, body: '' }, 204],
  ] as const)(
    'whose upload %s is OUTCOME_UNKNOWN, and is sent once',
    async ([, fault, state], { layer, sandbox }) => {
      const { url } = await pictureOf(layer);
      await sandbox.fault({ path: 'pictureContent', ...fault });

      expect(await codeOf(await put(layer, url, png))).toEqual([502, 'OUTCOME_UNKNOWN']);
      expect((await send(layer, url)).status).toBe(state);
      const sent = (await sandbox.calls()).filter(({ method }) => method === 'PATCH');
      expect(sent.length).toBeLessThanOrEqual(1);
    },
  );

  test('that the upstream fails to answer is read again, and not uploaded again', async ({ sandbox }) => {
    const layer = await startLayerForTest(sandbox.url, { ...settings, UPSTREAM_ATTEMPTS: '3' });
    const { url } = await pictureOf(layer);
    const failOnce = (method: string, status: number) =>
      sandbox.fault({ path: 'pictureContent', method, status, headers: { 'retry-after': '0' }, body: {} });
    await sandbox.forgetCalls();

    await failOnce('GET', 503);
    const read = await send(layer, url);
    await failOnce('PATCH', 503);
    const failed = await put(layer, url, png);
    await failOnce('PATCH', 429);
    const throttled = await put(layer, url, png);

    expect([read.status, failed.status, throttled.status]).toEqual([204, 502, 503]);
    expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['GET', 'GET', 'PATCH', 'PATCH']);
  });
});

test('an upload with a header that would be ignored, too long, or of unknown length is refused, and nothing is sent', async ({
  sandbox,
}) => {
  const layer = await startLayerForTest(sandbox.url, { ...settings, FILE_UPLOAD_MAX_BYTES: '1000' });
  const { url } = await pictureOf(layer);
  await sandbox.forgetCalls();

  for (const headers of [{ 'content-range': 'bytes 4-9/10' }, { 'if-none-match': '*' }] as const)
    expect(await codeOf(await put(layer, url, png, headers))).toEqual([400, 'BAD_USER_INPUT']);
  expect((await put(layer, url, Buffer.alloc(1_001))).status).toBe(413);
  const sent = httpRequest(layer.url + url, { method: 'PUT', headers: { authorization } });
  sent.write('x');
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(411);
  expect(await sandbox.calls()).toEqual([]);
});

test.for([
  ['compressed', { 'content-encoding': 'gzip' }, 200],
  ['a part that was not asked for', { 'content-range': 'bytes 0-2/9' }, 206],
] as const)(
  'a file that comes %s is UPSTREAM_BAD_RESPONSE',
  async ([_what, headers, status], { layer, sandbox }) => {
    const { url } = await pictureOf(layer);
    await sandbox.fault({ path: '/pictureContent', status, headers, body: 'abc' });

    expect(await codeOf(await send(layer, url))).toEqual([502, 'UPSTREAM_BAD_RESPONSE']);
  },
);
