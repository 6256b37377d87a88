// Five times the server's capacity for half a minute, and the latencies of the admitted requests. The limits are promises
// of the project; exits with 1 when one is exceeded.
import { setTimeout as sleep } from 'node:timers/promises';
import { figuresTable, keepTable } from './keep-table.mjs';
import { startLayer, startUpstream } from './processes.mjs';
import { createRawClients } from './raw-clients.mjs';

const bars = { goodput: 0.8, slower: 2, refusalMs: 20, recoveredMs: 5_000 };
const atOnce = 200;
const times = 5;
const peakMs = 8_000;
const overloadMs = 30_000;
const tickMs = 5;

const { upstream, port } = await startUpstream('overload-upstream.mjs');
const settings = {
  BUSINESS_URL: `http://127.0.0.1:${port}`,
  BUSINESS_COMPANY_ID: '5d115c9c-44e3-4a11-bb43-000000000000',
};
const { layer, url } = await startLayer(settings, {
  constants: { UPSTREAM_CONNECTIONS: atOnce, MAX_REQUESTS: atOnce },
});
let figures;
try {
  figures = await measure(url.replace('/graphql', ''));
} finally {
  layer.kill();
  upstream.kill();
}

const { peak, overload, recoveredMs } = figures;
const share = overload.goodput / peak.goodput;
const ms = (values) => values.map((value) => value.toFixed(value < 10 ? 1 : 0)).join(', ');
const rows = [
  ['answered a second, by 200 clients', peak.goodput.toFixed(0), ''],
  ['an answer then, ms: p50, p99', ms(peak.good), ''],
  [`sent a second, ${times} times as many`, overload.sent.toFixed(0), ''],
  ['answered a second then', overload.goodput.toFixed(0), `${(bars.goodput * peak.goodput) | 0}`],
  ['an answer then, ms: p50, p99', ms(overload.good), `p99 ${(bars.slower * peak.good[1]).toFixed(0)}`],
  ['a refusal, ms: p50, p99', ms(overload.refused), `p50 ${bars.refusalMs}`],
  ['neither answered nor refused with 503 and `Retry-After`', overload.odd, 0],
  ['as before after, ms', recoveredMs.toFixed(0), bars.recoveredMs.toLocaleString('en')],
];
const table = figuresTable(rows);
process.stdout.write(`${table}\n`);
keepTable('overload', table);
const isBroken =
  share < bars.goodput ||
  overload.good[1] > bars.slower * peak.good[1] ||
  overload.refused[0] > bars.refusalMs ||
  overload.odd > 0 ||
  recoveredMs > bars.recoveredMs;
process.exit(isBroken ? 1 : 0);

async function measure(url) {
  const clients = createRawClients(url);
  // Opens all connections first: a busy process accepts only one per event-loop turn.
  await closedLoop(clients, times * atOnce, 4_000);
  await closedLoop(clients, atOnce / 4, 4_000);
  const peak = await closedLoop(clients, atOnce, peakMs);
  const overload = await openLoop(clients, times * peak.goodput, overloadMs);
  return { peak, overload, recoveredMs: await recovery(clients, peak) };
}

/** Clients that wait for each response before the next request (closed loop). */
async function closedLoop(clients, many, forMs) {
  const until = performance.now() + forMs;
  const answers = [];
  const work = async () => {
    while (performance.now() < until) answers.push(await clients.ask());
  };
  await Promise.all(Array.from({ length: many }, work));
  return outcomeOf(answers, forMs);
}

/** A fixed rate (open loop), over five times as many connections as there are slots. */
async function openLoop(clients, perSecond, forMs) {
  const answers = [];
  const open = new Set();
  const startedAt = performance.now();
  let sent = 0;
  let kept = 0;
  for (let passed = 0; passed < forMs; passed = performance.now() - startedAt) {
    for (const due = (passed / 1000) * perSecond; sent + kept < due; sent++) {
      if (open.size >= times * atOnce) {
        kept = due - sent;
        break;
      }
      const asked = clients.ask().then((answer) => {
        answers.push(answer);
        open.delete(asked);
      });
      open.add(asked);
    }
    await sleep(tickMs);
  }
  await Promise.all(open);
  return { sent: sent / (forMs / 1000), ...outcomeOf(answers, forMs) };
}

/** Time until, for half a second, all requests succeed at normal latency. */
async function recovery(clients, { good: [, p99] }) {
  const endedAt = performance.now();
  for (;;) {
    const { refused, odd, good } = await closedLoop(clients, atOnce / 4, 500);
    const isOver = refused[0] === 0 && odd === 0 && good[1] <= p99;
    const afterMs = performance.now() - endedAt;
    if (isOver || afterMs > 4 * bars.recoveredMs) return afterMs;
  }
}

function outcomeOf(answers, forMs) {
  const good = answers.filter(({ isGood }) => isGood);
  const refused = answers.filter(({ status, isRetryable }) => status === 503 && isRetryable);
  return {
    goodput: good.length / (forMs / 1000),
    good: spread(good.map((answer) => answer.ms)),
    refused: spread(refused.map((answer) => answer.ms)),
    odd: answers.length - good.length - refused.length,
  };
}

/** Median and 99th percentile. */
function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.5, 0.99].map((part) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
}
