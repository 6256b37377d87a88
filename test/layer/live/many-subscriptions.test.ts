import { once } from 'node:events';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { test, testToken } from '../../support/layer.ts';

const watched = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }';

test('however many subscriptions one WebSocket has had, nothing is logged', async ({ layer }) => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => void warnings.push(message);
  process.on('warning', note);
  const socket = new WebSocket(`${layer.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const say = (message: object) => socket.send(JSON.stringify(message));
  await once(socket, 'open');
  say({ type: 'connection_init', payload: { authorization: `Bearer ${testToken}` } });
  await once(socket, 'message');
  for (let id = 0; id < 60; id++) {
    say({ id: String(id), type: 'subscribe', payload: { query: watched } });
    await once(socket, 'message');
    if (id < 30) say({ id: String(id), type: 'complete' });
  }
  // Warnings come in a turn of their own: this one behind any other.
  process.emitWarning('the last');
  await once(process, 'warning');
  process.off('warning', note);
  socket.terminate();

  expect(warnings).toEqual(['the last']);
});
