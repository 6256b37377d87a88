import { expect, test } from 'vitest';
import { ExchangeExpired, sendRequest } from '../../../src/http/exchange.ts';
import { createConnectionPool } from '../../../src/http/wire/connection-pool.ts';
import { createConnector } from '../../../src/http/wire/connector.ts';
import { startDeadline } from '../../../src/runtime/deadline.ts';
import { plainConnector, plainReading } from '../../support/proxies/wire.ts';
import { startStub } from '../../support/stub.ts';

test('a call that is canceled before it has a connection is reported as not sent, and is not sent later', async ({
  onTestFinished,
}) => {
  const upstream = await startStub(({ target }) => ({ body: target }));
  const { connect } = createConnector(plainConnector);
  let canceled = 0;
  const pool = createConnectionPool({
    origin: upstream.url,
    connect(target, callback) {
      if (canceled > 0) return connect(target, callback);
      // A connection that never opens.
      return () => {
        canceled += 1;
      };
    },
    maxAgeMs: 60_000,
    clientOptions: {},
  });
  onTestFinished(async () => {
    await pool.close();
    upstream.stop();
  });
  const send = (path: string, ms: number) => {
    const deadline = startDeadline(ms);
    const request = { method: 'POST', path, body: '{}' } as const;
    return sendRequest(pool.acquire(false), request, deadline, plainReading).finally(() => deadline.end());
  };

  const hasty = await send('/hasty', 20).catch((error: unknown) => error);
  const { text } = await send('/next', 5_000);

  expect(hasty).toBeInstanceOf(ExchangeExpired);
  expect((hasty as ExchangeExpired).isSent).toBe(false);
  expect(text).toBe('/next');
  expect(upstream.requests.map(({ target }) => target)).toEqual(['/next']);
  expect(canceled).toBe(1);
});
