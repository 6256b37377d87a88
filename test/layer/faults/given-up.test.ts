import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { expect, test } from 'vitest';
import { ExchangeExpired, sendRequest } from '../../../src/http/exchange.ts';
import { startDeadline } from '../../../src/runtime/deadline.ts';
import { plainReading } from '../../support/wire.ts';

test('a call that is canceled before it has a connection is reported as not sent, and is not sent later', async ({
  onTestFinished,
}) => {
  const seen: string[] = [];
  let answerFirst = () => {};
  const server = createServer((request, response) => {
    seen.push(String(request.url));
    if (request.url === '/first') answerFirst = () => response.end('first');
    else response.end('answered');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 });
  onTestFinished(async () => {
    await pool.destroy();
    server.close();
  });
  const send = (path: string, ms: number) => {
    const deadline = startDeadline(ms);
    return sendRequest(pool, { method: 'POST', path, body: '{}' }, deadline, plainReading).finally(() =>
      deadline.end(),
    );
  };

  const first = send('/first', 5_000);
  await expect.poll(() => seen).toEqual(['/first']);
  const hasty = await send('/hasty', 20).catch((error: unknown) => error);
  answerFirst();
  const [{ text }, { text: afterwards }] = await Promise.all([first, send('/afterwards', 5_000)]);

  expect(hasty).toBeInstanceOf(ExchangeExpired);
  expect((hasty as ExchangeExpired).isSent).toBe(false);
  expect([text, afterwards]).toEqual(['first', 'answered']);
  expect(seen).toEqual(['/first', '/afterwards']);
});
