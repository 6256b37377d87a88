// A TCP proxy that gives connections to the given ports in turn, as a load balancer does.
import { connect, createServer } from 'node:net';

const ports = process.argv.slice(2).map(Number);
let next = 0;
const balancer = createServer({ noDelay: true }, (client) => {
  const server = connect({ port: ports[next++ % ports.length], host: '127.0.0.1', noDelay: true });
  client.pipe(server).pipe(client);
  client.on('error', () => server.destroy());
  server.on('error', () => client.destroy());
});
balancer.listen(0, '127.0.0.1', () => process.send({ port: balancer.address().port }));
