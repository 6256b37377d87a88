import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type TestLayer, test, testToken } from '../../support/layer.ts';

const init = JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${testToken}` } });
const subscribe = JSON.stringify({
  id: '1',
  type: 'subscribe',
  payload: { query: 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }' },
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function openSocket(layer: TestLayer): Promise<WebSocket> {
  const socket = new WebSocket(`${layer.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => {});
  await once(socket, 'open');
  return socket;
}

test.for([
  ['what is not JSON', 4400, ['{']],
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

/** A socket to which a test writes frames as bytes. */
async function openRaw({ url }: TestLayer): Promise<Socket> {
  const { host, hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay();
  socket.write(
    `GET /graphql HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: graphql-transport-ws\r\n\r\n`,
  );
  await once(socket, 'data');
  return socket;
}

/** A frame as a client masks it, with a mask that changes nothing. */
const frame = (opcode: number, payload: Buffer, isMasked = true, isLast = true) =>
  Buffer.concat([
    Buffer.from([(isLast ? 0x80 : 0) | opcode, (isMasked ? 0x80 : 0) | payload.length]),
    Buffer.alloc(isMasked ? 4 : 0),
    payload,
  ]);

/** What a socket is told: that it is acknowledged, or the code by which it is closed. */
async function answerOf(socket: Socket): Promise<string | number> {
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer[0] === 0x88 ? answer.readUInt16BE(2) : JSON.parse(String(answer.subarray(2))).type;
}

// Blanks are part of JSON: the message is as long as it has to be.
const initOf = (length: number) => Buffer.from('{"type":"connection_init"}'.padEnd(length));

test('a message in 20 fragments is accepted, and one in 21 closes the WebSocket with 1008', async ({
  layer,
}) => {
  for (const [count, expected] of [
    [20, 'connection_ack'],
    [21, 1008],
  ] as const) {
    const socket = await openRaw(layer);
    const message = initOf(80);
    const fragments = Array.from({ length: count }, (_, at) =>
      frame(at === 0 ? 1 : 0, message.subarray(at, at === count - 1 ? 80 : at + 1), true, at === count - 1),
    );
    socket.write(Buffer.concat(fragments));
    expect(await answerOf(socket)).toBe(expected);
  }
});
