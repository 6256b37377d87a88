import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type TestLayer, test, testToken } from '../support/layer.ts';

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
  ['a message of a type that there is not', 4400, [init, '{"type":"nonsense"}']],
  ['a message of no type', 4400, [init, '{}']],
  ['null', 4400, [init, 'null']],
  ['bytes that are no message', 4400, [init, Buffer.from([0, 255, 1])]],
  ['a subscription without an id', 4400, [init, '{"type":"subscribe","payload":{"query":"{ a }"}}']],
  ['an ack, as a server says it', 4400, [init, '{"type":"connection_ack"}']],
  ['an event, as a server says it', 4400, [init, '{"id":"1","type":"next","payload":{}}']],
  ['an error, as a server says it', 4400, [init, '{"id":"1","type":"error","payload":[]}']],
  ['a subscription before it says who it is', 4401, [subscribe]],
  ['who it is twice', 4429, [init, init]],
  ['the id of a subscription that runs', 4409, [init, subscribe, subscribe]],
  ['10 MB', 1009, [init, 'x'.repeat(10_000_000)]],
] as const)(
  'a socket that sends %s is closed with %i, the console stays empty and the layer goes on',
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

/** A frame as a client masks it, with a mask that changes nothing. */
const frame = (opcode: number, payload: Buffer, isMasked = true) =>
  Buffer.concat([
    Buffer.from([0x80 | opcode, (isMasked ? 0x80 : 0) | payload.length]),
    Buffer.alloc(isMasked ? 4 : 0),
    payload,
  ]);

test.for([
  ['text that is not UTF-8', 1007, frame(1, Buffer.from([0xc3, 0x28]))],
  ['a frame that is not masked', 1002, frame(1, Buffer.from('{}'), false)],
  ['a frame of a kind that there is not', 1002, frame(3, Buffer.from('{}'))],
  ['a close code that there is not', 1002, frame(8, Buffer.from([0, 1]))],
] as const)(
  'a socket that sends %s is closed with %i, the console stays empty and the layer goes on',
  async ([_what, expected, bytes], { layer }) => {
    const written = vi.spyOn(console, 'error');
    const { host, hostname, port } = new URL(layer.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /graphql HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: graphql-transport-ws\r\n\r\n`,
    );
    await once(socket, 'data');
    socket.write(bytes);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();

    expect(answer[0]).toBe(0x88);
    expect(answer.readUInt16BE(2)).toBe(expected);
    expect(written).not.toHaveBeenCalled();
    expect((await layer.query('{ company { id } }')).errors).toBeUndefined();
  },
);
