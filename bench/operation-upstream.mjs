// An upstream with one operation that never ends. Its percentage is that of the last message; `Retry-After` is one second.
import { createServer } from 'node:http';

let percentComplete = 0;
let polls = 0;

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  if (request.method === 'POST') {
    response.writeHead(202, { 'vendor-asyncoperation': '/operations/1?api-version=2023-04-01' });
    return response.end();
  }
  polls += 1;
  response.setHeader('retry-after', '1');
  return response.end(JSON.stringify({ name: 'stop', status: 'InProgress', percentComplete }));
});

process.on('message', (message) => {
  if (typeof message === 'number') percentComplete = message;
  else {
    process.send(polls);
    polls = 0;
  }
});

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
