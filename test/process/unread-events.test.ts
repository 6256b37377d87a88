import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startTributary } from '../support/process.ts';
import { startTestSandbox } from '../support/sandbox.ts';

const many = 60;
const trackingId = 'SA_5-XYZ';
const mib = 1024 * 1024;
const query = `subscription { healthEventChanged(trackingId: "${trackingId}") { title summary } }`;

const masked = (text: string) => {
  const length = text.length < 126 ? [0x80 | text.length] : [0xfe, text.length >> 8, text.length & 0xff];
  return Buffer.concat([Buffer.from([0x81, ...length]), Buffer.alloc(4), Buffer.from(text)]);
};

const json = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer stopped\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** What is sent to be told of an event, one answer awaited after each but the last. */
const subscribing: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  'event streams': [json('/graphql/stream', JSON.stringify({ query }))],
  WebSockets: [
    'GET /graphql HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer stopped\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: graphql-transport-ws\r\n\r\n',
    masked('{"type":"connection_init"}'),
    masked(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } })),
  ],
};

test.for(Object.entries(subscribing))(
  '60 %s that nobody reads, with events of 4.5 MB, take less than 160 MiB, and others are told as before',
  async ([, messages]) => {
    const sandbox = await startTestSandbox();
    onTestFinished(() => sandbox.stop());
    const summary = 'x'.repeat(4_500_000);
    const tell = (title: string) =>
      sandbox.send('POST', '/sandbox/events', { trackingId, properties: { title, summary } });
    await tell('first');
    const running = startTributary(['serve'], {
      PORT: '0',
      ADMIN_PORT: '0',
      MANAGEMENT_URL: sandbox.url,
      POLL_HEALTH_MS: '500',
      MAX_LOOP_DELAY_MS: '60000',
      OPERATION_SECRETS: 'a secret of the tests',
    });
    onTestFinished(() => running.stop('SIGKILL').then(() => {}));
    const text = await running.printed(/readyz/);
    const [, url = ''] = /at (\S+)\/graphql/.exec(text) ?? [];
    const [, adminUrl = ''] = /at (\S+)\/readyz/.exec(text) ?? [];
    const memory = async () => {
      const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
      return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]) / mib;
    };
    const before = await memory();
    expect(before).toBeGreaterThan(10);

    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    for (let at = 0; at < many; at++) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => {});
      sockets.push(socket);
      for (const message of messages) {
        socket.write(message);
        if (message !== messages.at(-1)) await once(socket, 'data');
      }
      socket.pause();
    }
    let most = 0;
    for (const title of ['second', 'third', 'fourth']) {
      await tell(title);
      for (let look = 0; look < 10; look++) {
        most = Math.max(most, await memory());
        await sleep(100);
      }
    }
    const response = await fetch(`${url}/graphql/stream`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: 'Bearer another',
      },
      body: JSON.stringify({ query: query.replace(' summary', '') }),
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let told = '';
    while (!told.includes('event: next')) told += (await reader?.read())?.value;
    await reader?.cancel();

    expect(told).toContain('"title":"fourth"');
    expect(most - before).toBeLessThan(160);
  },
);
