import { createServer, request as send } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy that reaches one server whatever host it is asked for, or refuses everything with a status. */
export async function startTestProxy(port: number, refusal: number | null = null) {
  /** The first line of each request, and its `proxy-authorization`. */
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming;
    requests.push(`${method} ${url} ${headers['proxy-authorization']}`);
    if (refusal !== null) return void response.writeHead(refusal).end();
    const { pathname, search } = new URL(url);
    const { 'proxy-authorization': _removed, ...passed } = headers;
    const onward = send({ host: '127.0.0.1', port, method, path: pathname + search, headers: passed });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    return void incoming.pipe(onward);
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', ({ url, headers }, near: Socket) => {
    requests.push(`CONNECT ${url} ${headers['proxy-authorization']}`);
    if (refusal !== null) return near.end(`HTTP/1.1 ${refusal} Refused\r\ncontent-length: 0\r\n\r\n`);
    const far = connect(port, '127.0.0.1', () => near.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from.on('error', () => to.destroy()).pipe(to);
    return near;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
