// A light caller: one cheap query every 20 ms, in its own process so that the load generator takes none of its CPU time.
// Starts and stops on a message, and then reports its latencies.
import { once } from 'node:events';
import { Agent, request } from 'node:http';

const everyMs = 20;
const body = '{"query":"{ __typename }"}';
let ask = null;

async function ended({ agent, timer, open, taken, outcomes }) {
  clearInterval(timer);
  await Promise.all(open);
  agent.destroy();
  const sorted = taken.toSorted((a, b) => a - b);
  const share = (part) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return { p50: share(0.5), p99: share(0.99), longest: share(1), refused: outcomes.refused };
}

function begin({ url, token }) {
  const agent = new Agent({ keepAlive: true });
  const taken = [];
  const open = new Set();
  const outcomes = { refused: 0 };
  const send = async () => {
    const sentAt = performance.now();
    const sent = request(url, {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'content-length': body.length,
      },
    });
    sent.end(body);
    const [response] = await once(sent, 'response');
    await once(response.resume(), 'end');
    if (response.statusCode !== 200) outcomes.refused += 1;
    taken.push(performance.now() - sentAt);
  };
  const timer = setInterval(() => {
    const sent = send().finally(() => open.delete(sent));
    open.add(sent);
  }, everyMs);
  return { agent, timer, open, taken, outcomes };
}

process.on('message', async (message) => {
  if (message !== 'end') ask = begin(message);
  else process.send(await ended(ask));
});
