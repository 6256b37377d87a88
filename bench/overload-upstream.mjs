// An upstream with one page of customers that takes 400 ms at any concurrency.
import { createServer } from 'node:http';

const rows = Array.from({ length: 20 }, (_, n) => ({
  '@odata.etag': `W/"${n}"`,
  id: `5d115c9c-44e3-4a11-bb43-${String(n).padStart(12, '0')}`,
  number: `C${n}`,
  displayName: `Customer ${n}`,
  city: 'Atlanta',
}));
const answer = JSON.stringify({ value: rows });

const server = createServer((_request, response) => {
  setTimeout(() => {
    response.setHeader('content-type', 'application/json');
    response.end(answer);
  }, 400);
});

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
