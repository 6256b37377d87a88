// One upstream fails and recovers while clients keep sending queries to it and to the others. Runs ten minutes, or as
// many seconds as its argument says. Exits with 1 when a limit is exceeded.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { spread, startSandbox, startTributary } from './processes.mjs';
import { figures, writeTable } from './tables.mjs';

const bars = {
  openSeconds: 10,
  quickShare: 0.99,
  quickMs: 50,
  backSeconds: 15,
  load: 1.1,
  probes: 5,
  others: 1.2,
};
const outageSeconds = Number(process.argv[2] ?? 600);
const normalSeconds = 15;
const everyMs = 20;
const companyId = '0e0f0986-928f-40d7-8834-d1910255a423';

/** Area A: responds after 5 ms, or closes every connection. `seen` has the times of its requests, in milliseconds. */
const seen = [];
let isDown = false;
const business = createServer(async (request, response) => {
  request.resume();
  await sleep(5);
  if (isDown) return response.destroy();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ id: companyId, name: 'A company' }));
});
// A connection attempt counts as a call: during the outage none gets further.
business.on('connection', (socket) => {
  if (!isDown) return;
  seen.push(performance.now());
  socket.resetAndDestroy();
});
business.on('request', () => seen.push(performance.now()));
business.listen(0, '127.0.0.1');
await once(business, 'listening');

const { sandbox, sandboxUrl } = await startSandbox();
const { server, url } = await startTributary({
  BUSINESS_URL: `http://127.0.0.1:${business.address().port}`,
  MANAGEMENT_URL: sandboxUrl,
  BUSINESS_COMPANY_ID: companyId,
});

/** Sends queries at a fixed rate (open loop), each as a caller of its own. */
function startAsking(query, isAnswer) {
  const taken = [];
  let count = 0;
  const timer = setInterval(async () => {
    const sentAt = performance.now();
    count += 1;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer caller-${count % 10}` },
      body: JSON.stringify({ query }),
    });
    const { data } = await response.json();
    taken.push({ sentAt, ms: performance.now() - sentAt, isGood: isAnswer(data) });
  }, everyMs);
  return { taken, stop: () => clearInterval(timer) };
}

const asked = startAsking('{ company { name } }', (data) => data?.company?.name !== null && data !== null);
const others = startAsking(
  '{ healthEvents(since: "2000-01-01T00:00:00Z", first: 5) { nodes { trackingId } } }',
  (data) => data?.healthEvents?.nodes.length > 0,
);
await sleep(3_000);
const normalAt = performance.now();
await sleep(normalSeconds * 1000);
isDown = true;
business.closeAllConnections();
const downAt = performance.now();
await sleep(outageSeconds * 1000);
isDown = false;
const upAt = performance.now();
await sleep(25_000);
asked.stop();
others.stop();
await sleep(1_000);
server.kill();
sandbox.kill();
business.close();
business.closeAllConnections();

const within = (from, to) => (entry) => (entry.sentAt ?? entry) >= from && (entry.sentAt ?? entry) < to;
const p99 = (entries) => spread(entries.map(({ ms }) => ms))[1];
const inOutage = asked.taken.filter(within(downAt, upAt)).sort((a, b) => a.sentAt - b.sentAt);
const isQuick = ({ ms }) => ms < bars.quickMs;
const callsIn = (from, everyS, count) =>
  Array.from(
    { length: count },
    (_, index) => seen.filter(within(from + index * 1000, from + (index + everyS) * 1000)).length,
  );
const perSecond = callsIn(downAt, 1, Math.floor(outageSeconds));
// From the first second with nothing but trial calls.
const openSecond = perSecond.findLastIndex((calls) => calls > bars.probes) + 1;
const opened = inOutage.filter(({ sentAt }) => sentAt >= downAt + openSecond * 1000);
const quick = opened.filter(isQuick).length / Math.max(1, opened.length);
const normal = seen.filter(within(normalAt, downAt)).length / normalSeconds;
const back = asked.taken.filter(({ sentAt, isGood }) => sentAt >= upAt && isGood)[0]?.sentAt ?? Infinity;
const goodAfter = asked.taken.filter(({ sentAt }) => sentAt >= back + 1_000);
const measured = {
  open: openSecond,
  quick,
  probes: Math.max(0, ...perSecond.slice(openSecond)),
  loadDown: Math.max(...callsIn(downAt, 10, outageSeconds - 10)) / 10 / normal,
  back: (back - upAt) / 1000,
  loadBack: Math.max(...callsIn(back, 10, 10)) / 10 / normal,
  lost: goodAfter.filter(({ isGood }) => !isGood).length,
  others: p99(others.taken.filter(within(downAt, upAt))) / p99(others.taken.filter(within(normalAt, downAt))),
  othersFailed: others.taken.filter(({ isGood }) => !isGood).length,
};
const two = (value) => value.toFixed(2);
const rows = [
  ['seconds down', outageSeconds, ''],
  ['until it is left alone, s', measured.open, bars.openSeconds],
  [
    `share that then fails within ${bars.quickMs} ms`,
    `${two(measured.quick * 100)} %`,
    `${bars.quickShare * 100} %`,
  ],
  ['calls to it a second then, at most', measured.probes, bars.probes],
  ['most calls to it within 10 s while it is down, of those before', two(measured.loadDown), bars.load],
  ['until it is used again, s', two(measured.back), bars.backSeconds],
  ['most calls to it within 10 s afterwards, of those before', two(measured.loadBack), bars.load],
  ['queries that failed a second after it was used again', measured.lost, 0],
  ['p99 of the other areas meanwhile, of that before', two(measured.others), bars.others],
  ['queries of the other areas that failed', measured.othersFailed, 0],
];
writeTable('outage', [[figures, rows]], outageSeconds >= 60);
process.exit(
  measured.open > bars.openSeconds ||
    measured.quick < bars.quickShare ||
    measured.probes > bars.probes ||
    measured.loadDown > bars.load ||
    measured.back > bars.backSeconds ||
    measured.loadBack > bars.load ||
    measured.lost > 0 ||
    measured.others > bars.others ||
    measured.othersFailed > 0
    ? 1
    : 0,
);
