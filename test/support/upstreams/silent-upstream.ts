import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Answer, startTestLayer, testToken } from '../layer.ts';

/** One call upstream. */
export const company = '{ company { name } }';
/** Two calls upstream. */
export const twoReads = '{ company { name customers(first: 1) { nodes { id } } } }';

/** A layer before an upstream that answers nothing until it is told to; `open` counts the calls it holds. */
export async function startBeforeSilence(settings: Readonly<Record<string, string>> = {}) {
  const upstream = { open: 0, begun: 0, answer() {} };
  const held: (() => void)[] = [];
  const server = createServer((request, response) => {
    upstream.open += 1;
    upstream.begun += 1;
    response.on('close', () => {
      upstream.open -= 1;
    });
    request.resume();
    held.push(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"value":[]}'));
  });
  upstream.answer = () => {
    for (const answer of held.splice(0)) answer();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const layer = await startTestLayer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, settings);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await layer.stop();
  });
  const ask = (query: string, headers: Readonly<Record<string, string>> = {}) => {
    const leaving = new AbortController();
    const answer = fetch(`${layer.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${testToken}`, ...headers },
      body: JSON.stringify({ query }),
      signal: leaving.signal,
    }).then(
      (response) => response.json() as Promise<Answer>,
      () => null,
    );
    return { answer, leave: () => leaving.abort() };
  };
  return { upstream, layer, ask };
}
