// Clients that use as little CPU as possible, since they share it with what they measure: keep-alive connections, one
// request at a time on each, and of a response only the status, the headers and the end are parsed.
import { connect } from 'node:net';

const query =
  'query ($first: Int) { company { customers(first: $first) { nodes { id number displayName city } } } }';
const body = JSON.stringify({ query, variables: { first: 20 } });
let callers = 0;

/** Connections to a graph. `ask` sends each query as a new caller: identical reads of one caller would be joined. */
export function createRawClients(url) {
  const { hostname, port, host } = new URL(url);
  const free = [];
  let failures = 0;

  const open = () => {
    const socket = connect(Number(port), hostname).setNoDelay();
    const client = { socket, settle: null };
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
      if (text.length < head + 4 + length) return;
      const status = Number(text.slice(9, 12));
      const isGood = status === 200 && !text.includes('"errors"');
      const isRetryable = /\r\nretry-after: 1\r\n/i.test(text);
      text = '';
      free.push(client);
      client.settle({ status, isGood, isRetryable });
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      failures += 1;
      client.settle?.({ status: 0, isGood: false, isRetryable: false });
    });
    return client;
  };

  return {
    failures: () => failures,
    ask() {
      let client = free.pop();
      while (client?.socket.destroyed) client = free.pop();
      client ??= open();
      const askedAt = performance.now();
      callers += 1;
      client.socket.write(
        `POST /graphql HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${callers}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      return new Promise((resolve) => {
        client.settle = (answer) => resolve({ ...answer, ms: performance.now() - askedAt });
      });
    },
  };
}
