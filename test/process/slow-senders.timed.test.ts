import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTributary } from '../support/process.ts';

const timeoutMs = 15_000;
const many = 300;

test('300 connections that send a request byte by byte are closed in time, and others are answered meanwhile', async () => {
  const running = startTributary(['dev'], { PORT: '0' });
  const text = await running.printed(/Sandbox.*\n/);
  const url = /Graph +(\S+)/.exec(text)?.[1] ?? '';
  const { hostname, port } = new URL(url);
  const ask = async () => {
    const askedAt = performance.now();
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer somebody' },
      body: '{"query":"{ company { id } }"}',
    });
    expect(response.status).toBe(200);
    await response.text();
    return performance.now() - askedAt;
  };
  for (let at = 0; at < 5; at++) await ask();

  const openedAt = performance.now();
  const lasted: number[] = [];
  const slow = Array.from({ length: many }, (_, at): Socket => {
    const socket = connect(Number(port), hostname)
      .on('error', () => {})
      .resume();
    socket.write('POST /graphql HTTP/1.1\r\nhost: x\r\n');
    // Every second one has sent its headers, and goes on with the body.
    if (at % 2 === 0) socket.write('content-type: application/json\r\ncontent-length: 99\r\n\r\n{');
    const drip = setInterval(() => socket.write(at % 2 === 0 ? ' ' : 'a'), 1_000);
    socket.once('close', () => {
      clearInterval(drip);
      lasted.push(performance.now() - openedAt);
    });
    return socket;
  });
  await Promise.all(slow.map((socket) => once(socket, 'connect')));
  const probes: number[] = [];
  while (lasted.length < many && performance.now() - openedAt < timeoutMs + 3_000) {
    probes.push(await ask());
    await sleep(250);
  }
  await running.stop('SIGKILL');

  expect(lasted).toHaveLength(many);
  expect(Math.max(...lasted)).toBeLessThan(timeoutMs + 2_000);
  expect(probes.length).toBeGreaterThan(30);
  // The machine has other tests to run, too.
  expect(probes.toSorted((a, b) => a - b)[Math.floor(probes.length * 0.9)]).toBeLessThan(100);
});
