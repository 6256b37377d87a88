import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const customers = `${company}/customers`;
const id = '44444444-4444-4444-8444-444444444444';

const fault = (body: unknown) => sandbox.post('/sandbox/faults', body);
const named = async (displayName: string): Promise<Json[]> =>
  (await sandbox.get('/sandbox/records?set=customers')).body.records.filter(
    ({ values }: Json) => values.displayName === displayName,
  );

describe('intermediaries', () => {
  test('S.repeat.1 A request is executed twice, and the second response is returned', async () => {
    await fault({ method: 'POST', path: '/customers', repeat: true });
    const reply = await sandbox.post(customers, { id, displayName: 'Twice' });

    expect([reply.status, reply.body.error.code]).toEqual([409, 'Internal_EntityWithSameKeyExists']);
    expect(await named('Twice')).toHaveLength(1);

    await fault({ method: 'POST', path: '/customers', repeat: true });
    expect((await sandbox.post(customers, { displayName: 'Without an id' })).status).toBe(201);
    expect(await named('Without an id')).toHaveLength(2);
  });

  test('S.unseen.1 A new record is returned by no read for a while, though a write finds it', async () => {
    await fault({ method: 'POST', path: '/customers', unseenMs: 60_000 });
    await sandbox.post(customers, { id, displayName: 'Unseen' });
    const filtered = `${customers}?$filter=displayName eq 'Unseen'`;

    expect(await sandbox.list(filtered)).toEqual([]);
    const read = await sandbox.get(`${customers}(${id})`);
    expect([read.status, read.body.error.code]).toEqual([404, 'Internal_RecordNotFound']);
    expect((await sandbox.patch(`${customers}(${id})`, '*', { city: 'Oslo' })).status).toBe(200);
    expect((await sandbox.post(customers, { id, displayName: 'Again' })).status).toBe(409);
  });

  test('S.unseen.2 Afterwards reads return it', async () => {
    await fault({ method: 'POST', path: '/customers', unseenMs: 50 });
    await sandbox.post(customers, { id, displayName: 'Unseen' });

    await expect.poll(async () => (await sandbox.get(`${customers}(${id})`)).status).toBe(200);
    expect(await sandbox.list(`${customers}?$filter=displayName eq 'Unseen'`)).toHaveLength(1);
  });

  test('S.interim.1 A response can follow an unrequested `100 Continue`; its connection can be closed after it', async () => {
    await fault({ method: 'GET', interim: true, closeAfterMs: 20 });
    const { hostname, port } = new URL(sandbox.url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
    });
    socket.write(`GET ${customers}?$top=1 HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer clerk\r\n\r\n`);
    await once(socket, 'close');

    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(text).toContain('"value":[');
  });

  test('S.chaos.21 A wrong environment is reported in XML', async () => {
    await sandbox.post('/sandbox/chaos', { rate: 1, kinds: ['noEnvironment'], reads: true });
    const { status, headers, text } = await sandbox.get(`${customers}?$top=1`);

    expect([status, headers.get('content-type')]).toEqual([404, 'application/xml; charset=utf-8']);
    expect(text).toContain('<code>NoEnvironment</code>');
  });
});
