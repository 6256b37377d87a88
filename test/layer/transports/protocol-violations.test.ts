import { once } from 'node:events';
import { afterEach, expect, vi } from 'vitest';
import { openSocket, test, testToken } from '../../support/layer.ts';

const init = JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${testToken}` } });
const subscribe = JSON.stringify({
  id: '1',
  type: 'subscribe',
  payload: { query: 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }' },
});

afterEach(() => {
  vi.restoreAllMocks();
});

test.for([
  ['what is not JSON', 4400, ['{']],
  ['an ack, as a server says it', 4400, [init, '{"type":"connection_ack"}']],
  ['a subscription before it says who it is', 4401, [subscribe]],
  ['the id of a subscription that runs', 4409, [init, subscribe, subscribe]],
] as const)(
  'a WebSocket that sends %s is closed with %i, nothing is logged and the server continues',
  async ([_what, expected, messages], { layer }) => {
    const written = vi.spyOn(console, 'error');
    const socket = await openSocket(layer);
    const closed = once(socket, 'close');
    for (const message of messages) {
      socket.send(message);
      if (message === init) await Promise.race([once(socket, 'message'), closed]);
    }

    expect((await closed)[0]).toBe(expected);
    expect(written).not.toHaveBeenCalled();
    expect((await layer.query('{ company { id } }')).errors).toBeUndefined();
  },
);

test('a message that is too long is one line of the log, with the reason and no stack', async ({ layer }) => {
  const before = layer.lines().length;
  const socket = await openSocket(layer);
  socket.send('x'.repeat(300_000));
  expect((await once(socket, 'close'))[0]).toBe(1009);

  expect(layer.lines().slice(before)).toEqual([
    expect.objectContaining({ msg: 'WebSocket closed by an error.', reason: 'Max payload size exceeded' }),
  ]);
  expect(layer.lines().at(-1)).not.toHaveProperty('err');
});

test('a message in 20 fragments is accepted, and one in 21 closes the WebSocket with 1008', async ({
  layer,
}) => {
  for (const [count, expected] of [
    [20, 'connection_ack'],
    [21, 1008],
  ] as const) {
    const socket = await openSocket(layer);
    const told = Promise.race([once(socket, 'message'), once(socket, 'close')]);
    // Blanks are part of JSON: the message has as many fragments as it has to have.
    for (let at = 1; at < count; at++) socket.send(' ', { fin: false });
    socket.send('{"type":"connection_init"}', { fin: true });
    const [first] = await told;

    expect(typeof first === 'number' ? first : JSON.parse(String(first)).type).toBe(expected);
    socket.terminate();
  }
});
