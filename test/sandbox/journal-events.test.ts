import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';
import { listen } from './event-stream.ts';
import { codeOf, exchange, tokenOf } from './sign-in-caller.ts';

const sandbox = useSandbox();
const items = `${company}/items?$top=1`;

describe('the journal as server-sent events', () => {
  test('S.events.1 A listener gets what is there, and then each request as it arrives and ends', async () => {
    await sandbox.get(items);
    const listener = await listen(sandbox.url);
    await listener.ended(1);
    await sandbox.post('/sandbox/faults', { path: '/customers', delayMs: 400 });
    const waiting = sandbox.get(`${company}/customers?$top=1`);
    await expect.poll(() => listener.entries().some(({ isPending }) => isPending)).toBe(true);
    await waiting;
    const [first, second] = await listener.ended(2);
    await listener.close();

    expect(listener.response.headers.get('content-type')).toBe('text/event-stream');
    expect(listener.events[0]).toMatchObject({ event: 'emptied' });
    expect(first).toMatchObject({ method: 'GET', path: items, area: 'business', status: 200 });
    expect(second).toMatchObject({ status: 200, fault: 'custom', isPending: false });
    expect(second.durationMs).toBeGreaterThanOrEqual(390);
  });

  test('S.events.2 Last-Event-ID continues after an event; an id of another start begins anew', async () => {
    const first = await listen(sandbox.url);
    await sandbox.get(items);
    await first.ended(1);
    const id = first.events.at(-1)?.id;
    await first.close();
    await sandbox.get(`${company}/customers?$top=1`);
    const second = await listen(sandbox.url, id);
    const later = await second.ended(1);
    await second.close();
    const third = await listen(sandbox.url, id?.replace(/^\w+/, 'another'));
    const all = await third.ended(2);
    await third.close();

    expect(later.map(({ path }) => path)).toEqual([`${company}/customers?$top=1`]);
    expect(second.events.map(({ event }) => event)).not.toContain('emptied');
    expect(all).toHaveLength(2);
    expect(third.events[0]?.event).toBe('emptied');
  });

  test('S.events.3 A listener learns that the journal is emptied, also while it was away', async () => {
    await sandbox.get(items);
    const listener = await listen(sandbox.url);
    await listener.ended(1);
    const { id } = listener.events.at(-1) ?? {};
    await sandbox.send('DELETE', '/sandbox/journal');
    await expect.poll(() => listener.events.at(-1)?.event).toBe('emptied');
    await listener.close();
    const away = await listen(sandbox.url, id);
    await expect.poll(() => away.events.map(({ event }) => event)).toEqual(['emptied']);
    await away.close();
  });

  test('S.events.4 Of more than 500 changes a listener gets the newest', async () => {
    const paths = Array.from({ length: 520 }, (_, at) => `/nothing/${at}`);
    for (const path of paths) await sandbox.get(path);
    const listener = await listen(sandbox.url);
    const entries = await listener.ended(500);
    await listener.close();

    expect(entries).toHaveLength(500);
    expect(entries.at(-1)?.path).toBe('/nothing/519');
  });

  test('S.events.5 At most 20 clients listen at once; one that leaves makes room', async () => {
    const listeners = await Promise.all(Array.from({ length: 20 }, () => listen(sandbox.url)));
    const refused = await sandbox.get('/sandbox/journal/events');
    for (const { close } of listeners) await close();
    const statusOfNext = async () => {
      const next = await listen(sandbox.url);
      await next.close();
      return next.response.status;
    };

    expect(listeners.map(({ response }) => response.status)).toEqual(Array(20).fill(200));
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'TooManyListeners' } } });
    await expect.poll(statusOfNext).toBe(200);
  });

  test('S.events.6 It holds no token, code, secret or cookie, and names who signed in', async () => {
    const listener = await listen(sandbox.url);
    const code = await codeOf(sandbox, 'ada');
    await exchange(sandbox, code, { client_secret: 'sandbox-secret' });
    const token = await tokenOf(sandbox, 'grace');
    await sandbox.get(items, { token });
    await sandbox.get(items, { token: 'plain-secret', headers: { cookie: 'session=cookie-secret' } });
    const entries = await listener.ended(6);
    await listener.close();

    expect(entries.map(({ user }) => user)).toContain('grace');
    for (const secret of [code, token, 'sandbox-secret', 'plain-secret', 'cookie-secret'])
      expect(JSON.stringify(listener.events)).not.toContain(secret);
  });

  test('S.events.7 A request whose connection is reset ends without a status', async () => {
    const listener = await listen(sandbox.url);
    await sandbox.post('/sandbox/faults', { kind: 'resetBefore' });
    await sandbox.get(items).catch(() => undefined);
    const [entry] = await listener.ended(1);
    await listener.close();

    expect(entry).toMatchObject({ status: 0, fault: 'resetBefore', isPending: false });
  });
});
