// 10,000 hostile requests on 50 connections over every transport, beside 10 ordinary queries a second. The limits are
// promises of the project; exits with 1 when one is exceeded. The argument is another number of requests.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { sandboxCompanyId } from '../sandbox/dist/seed/seed.js';
import { transports } from './hostile-clients.mjs';
import { attacks, valid, validStream } from './hostile-documents.mjs';
import { ask, rssMiB, spread, startSandbox, startTributary, watchMemory } from './processes.mjs';
import { figures, writeTable } from './tables.mjs';

const bars = { aloneMs: 50, honestP99Ms: 250, blockedMs: 200, grownMiB: 64 };
const requests = Number(process.argv[2] ?? 10_000);
const connections = { POST: 20, GET: 10, WebSocket: 10, 'events by POST': 5, 'events by GET': 5 };
const honestEveryMs = 100;
const validEvery = 15;
const timesEach = 3;
const longestMs = 180_000;

const { sandbox, sandboxUrl } = await startSandbox();
const { server, url } = await startTributary({
  BUSINESS_URL: sandboxUrl,
  MANAGEMENT_URL: sandboxUrl,
  BUSINESS_COMPANY_ID: sandboxCompanyId,
});
const failing = Promise.race([
  once(server, 'exit').then(() => 'the server has ended'),
  sleep(longestMs, 'it takes too long', { ref: false }),
]).then((why) => {
  throw new Error(why);
});
let measured;
try {
  measured = await Promise.race([measure(url), failing]);
} finally {
  server.kill();
  sandbox.kill();
}

const { attack, honest, quietHonest, alone, memory, blockedMs } = measured;
const ms = (...values) => values.map((value) => value.toFixed(value < 10 ? 1 : 0)).join(', ');
const MiB = (value) => value.toFixed(0);
const rows = [
  ['hostile requests', attack.count.toLocaleString('en'), ''],
  ['a second', MiB(attack.count / attack.seconds), ''],
  ['kinds answered with 5xx or let through', attack.faults.size, 0],
  ['a refusal among 50, ms: p50, p99, longest', ms(...attack.refusal), ''],
  [`the slowest refusal alone, ms: ${alone.what}`, ms(alone.ms), bars.aloneMs],
  ['an honest query before, ms: p50, p99', ms(...quietHonest.slice(0, 2)), ''],
  ['an honest query meanwhile, ms: p50, p99', ms(...honest.slice(0, 2)), `p99 ${bars.honestP99Ms}`],
  ['event loop blocked, ms', ms(blockedMs), bars.blockedMs],
  ['memory in use before, MiB', MiB(memory.usedBefore), ''],
  ['memory in use after, MiB', MiB(memory.usedAfter), ''],
  [
    'memory of the process before, at most, after, MiB',
    memory.process.map(MiB).join(', '),
    `${bars.grownMiB} more`,
  ],
];
writeTable('hostile documents', [[figures, rows]], process.argv.length === 2);
for (const fault of attack.faults) process.stdout.write(`${fault}\n`);
const isBroken =
  attack.faults.size > 0 ||
  alone.ms > bars.aloneMs ||
  honest[1] > bars.honestP99Ms ||
  blockedMs > bars.blockedMs ||
  memory.process[1] - memory.process[0] > bars.grownMiB;
process.exit(isBroken ? 1 : 0);

async function measure(url) {
  const warmUp = startHonest(url, 2);
  await sleep(6_000);
  await warmUp.stop();
  const quietly = startHonest(url, honestEveryMs);
  await sleep(3_000);
  const quietHonest = await quietly.stop();
  const before = rssMiB(server);
  const { usedMiB: usedBefore } = await ask(server, 'collect');

  await ask(server, 'blocked');
  const beside = startHonest(url, honestEveryMs);
  const peak = watchMemory(server);
  const attack = await sendAll(url);
  const honest = await beside.stop();
  const atMost = await peak.stop();
  const { blockedMs } = await ask(server, 'blocked');
  await sleep(3_000);
  const after = rssMiB(server);
  const { usedMiB: usedAfter } = await ask(server, 'collect');
  const memory = { usedBefore, usedAfter, process: [before, atMost, after] };
  return { attack, honest, quietHonest, alone: await slowestAlone(url), memory, blockedMs };
}

/** 10,000 requests of all kinds, by one client per connection. */
async function sendAll(url) {
  const kinds = Object.entries(attacks);
  const validKinds = Object.entries(valid);
  const taken = [];
  const faults = new Set();
  const startedAt = performance.now();
  let count = 0;
  let next = 0;

  const send = async (client, payload, what, mustBe) => {
    const sentAt = performance.now();
    const { status, isRefused } = await client.send(payload);
    count += 1;
    if (isRefused) taken.push(performance.now() - sentAt);
    if (status >= 500) faults.add(`${status}: ${what}`);
    if (isRefused ? mustBe === 'taken' : mustBe === 'refused') faults.add(`not ${mustBe}: ${what}`);
  };
  const work = async (transport) => {
    const client = transports[transport](url);
    while (count < requests) {
      const n = next++;
      const [what, make] = kinds[n % kinds.length];
      await send(client, make(n, client.isStream), `${what}, ${transport}`, 'refused');
      if (n % validEvery > 0) continue;
      const [which, makeValid] = client.isStream
        ? ['a subscription', validStream]
        : validKinds[(n / validEvery) % validKinds.length];
      const payload = makeValid(n);
      for (let time = 0; time < timesEach; time++)
        await send(client, payload, `${which}, ${transport}`, transport === 'POST' ? 'taken' : 'answered');
    }
    client.close();
  };
  await Promise.all(
    Object.entries(connections).flatMap(([name, many]) => Array.from({ length: many }, () => work(name))),
  );
  return { count, faults, refusal: spread(taken), seconds: (performance.now() - startedAt) / 1000 };
}

/** The kind with the slowest rejection on an idle server, by the median of five. */
async function slowestAlone(url) {
  let slowest = { what: '', ms: 0 };
  for (const [transport, connect] of Object.entries(transports)) {
    const client = connect(url);
    for (const [what, make] of Object.entries(attacks)) {
      const taken = [];
      for (let time = 0; time < 5; time++) {
        const payload = make(1_000_000 + time, client.isStream);
        const sentAt = performance.now();
        await client.send(payload);
        taken.push(performance.now() - sentAt);
      }
      const [median] = spread(taken);
      if (median > slowest.ms) slowest = { what: `${what}, ${transport}`, ms: median };
    }
    client.close();
  }
  return slowest;
}

/** Ordinary queries at a fixed rate (open loop). */
function startHonest(url, everyMs) {
  const taken = [];
  const open = new Set();
  const query =
    'query ($first: Int) { company { customers(first: $first) { nodes { id number displayName } } } }';
  const send = async () => {
    const sentAt = performance.now();
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer honest' },
      body: JSON.stringify({ query, variables: { first: 5 } }),
    });
    const { data, errors } = await response.json();
    if (data?.company.customers.nodes.length !== 5) throw new Error(JSON.stringify(errors));
    taken.push(performance.now() - sentAt);
  };
  const timer = setInterval(() => {
    const sent = send().finally(() => open.delete(sent));
    open.add(sent);
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      return spread(taken);
    },
  };
}
