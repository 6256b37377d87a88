// As much work as a verified caller can cause: one caller with as many connections as the limit per caller allows, one
// attack after another, beside a second caller with cheap queries. Exports the results for bench/hostile.mjs;
// `node bench/hostile-work.mjs [attack]` runs it alone.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sendUnread, work } from './hostile-work-documents.mjs';
import { startLayer, startUpstream } from './processes.mjs';

export const workBars = { honestP99Ms: 250, refusedHonest: 0, grownMiB: 256 };
const connections = 50;
const seconds = 5;
// Ends the processes of a benchmark that hangs.
const longestMs = 600_000;
const companyId = '5d115c9c-44e3-4a11-bb43-000000000000';

/** Latencies of the second caller under each attack, the outcomes of the attacks, and the growth of the process. */
export async function measureWork(only) {
  const { upstream, url: upstreamUrl, settings, tokens } = await startUpstream('hostile-work-upstream.mjs');
  const { layer, url } = await startLayer(
    {
      BUSINESS_URL: upstreamUrl,
      MANAGEMENT_URL: upstreamUrl,
      BUSINESS_COMPANY_ID: companyId,
      PAGES: 'on',
      // The default: a quarter of all.
      MAX_REQUESTS_PER_CALLER: '50',
      ...settings,
    },
    { isProbed: true },
  );
  const timer = setTimeout(() => {
    layer.kill();
    upstream.kill();
    throw new Error('it takes too long');
  }, longestMs);
  try {
    const honest = startHonest(url, tokens.honest);
    await sleep(2_000);
    const quiet = await honest.stop();
    const before = (await ask(layer, 'report')).rssMiB;
    const attacks = [];
    for (const [name, make] of Object.entries(work).filter(([name]) => !only || name === only)) {
      const beside = startHonest(url, tokens.honest);
      const watch = startWatch(layer);
      const outcomes = await (name === sendUnread
        ? leaveUnread(url, tokens.hostile, make)
        : sendAll(url, tokens.hostile, make));
      const mostMiB = await watch.stop();
      attacks.push({ name, outcomes, honest: await beside.stop(), grownMiB: mostMiB - before });
      await sleep(500);
    }
    return { quiet, attacks };
  } finally {
    clearTimeout(timer);
    layer.kill();
    upstream.kill();
  }
}

export const isWorkBroken = ({ attacks }) =>
  attacks.some(
    ({ honest, grownMiB }) =>
      honest.p99 > workBars.honestP99Ms || honest.refused > 0 || grownMiB > workBars.grownMiB,
  );

export function workTable({ quiet, attacks }) {
  const ms = (value) => value.toFixed(0);
  const lines = [
    '| one caller sends | answered | refused | KiB of an answer | another caller: p50, p99, longest, ms | refused | memory, MiB more |',
    '|---|---:|---:|---:|---:|---:|---:|',
    `| nothing | | | | ${ms(quiet.p50)}, ${ms(quiet.p99)}, ${ms(quiet.longest)} | ${quiet.refused} | |`,
    ...attacks.map(
      ({ name, outcomes, honest, grownMiB }) =>
        `| ${name} | ${outcomes.answered} | ${outcomes.refused} | ${ms(outcomes.bytes / 1024)} | ${ms(honest.p50)}, ${ms(honest.p99)}, ${ms(honest.longest)} | ${honest.refused} | ${ms(grownMiB)} |`,
    ),
    `| bar | | | | p99 ${workBars.honestP99Ms} | ${workBars.refusedHonest} | ${workBars.grownMiB} |`,
  ];
  return lines.join('\n');
}

const headersOf = (token) => ({ 'content-type': 'application/json', authorization: `Bearer ${token}` });

/** Sends a request and reads the whole response. */
async function post(url, agent, token, payload) {
  const body = JSON.stringify(payload);
  const sent = request(url, {
    method: 'POST',
    agent,
    headers: { ...headersOf(token), 'content-length': Buffer.byteLength(body) },
  });
  sent.end(body);
  const [response] = await once(sent, 'response');
  let bytes = 0;
  let start = '';
  for await (const chunk of response) {
    if (start.length < 2_000) start += chunk.toString('latin1').slice(0, 2_000);
    bytes += chunk.length;
  }
  return { status: response.statusCode, bytes, start };
}

async function sendAll(url, token, make) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + seconds * 1_000;
  const outcomes = { answered: 0, refused: 0, bytes: 0, first: '' };
  let next = 0;
  const client = async () => {
    while (performance.now() < until) {
      const { status, bytes, start } = await post(url, agent, token, make(next++));
      const isRefused = status !== 200 || start.startsWith('{"errors"');
      outcomes[isRefused ? 'refused' : 'answered'] += 1;
      if (!isRefused) outcomes.bytes = Math.max(outcomes.bytes, bytes);
      if (isRefused) outcomes.first ||= start.slice(0, 200);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  return outcomes;
}

/** Sends a request and never reads the response. */
async function leaveUnread(url, token, make) {
  const { hostname, port, pathname } = new URL(url);
  const headers = Object.entries(headersOf(token))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const sockets = await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
      const socket = connect(Number(port), hostname).pause();
      socket.on('error', () => {});
      await once(socket, 'connect');
      for (let again = 0; again < 4; again++) {
        const body = JSON.stringify(make(4 * n + again));
        socket.write(
          `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`,
        );
      }
      return socket;
    }),
  );
  await sleep(seconds * 1_000);
  for (const socket of sockets) socket.destroy();
  return { answered: 0, refused: 0, bytes: 0, first: '' };
}

function startHonest(url, token) {
  const caller = fork(fileURLToPath(new URL('honest-caller.mjs', import.meta.url)));
  caller.send({ url, token });
  return {
    async stop() {
      caller.send('end');
      const [figures] = await once(caller, 'message');
      caller.kill();
      return figures;
    },
  };
}

async function ask(layer, message) {
  layer.send(message);
  const [figures] = await once(layer, 'message');
  return figures;
}

function startWatch(layer) {
  let isOver = false;
  const watched = (async () => {
    let most = 0;
    while (!isOver) {
      most = Math.max(most, (await ask(layer, 'report')).rssMiB);
      await sleep(100);
    }
    return most;
  })();
  return {
    stop() {
      isOver = true;
      return watched;
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const measured = await measureWork(process.argv[2]);
  process.stdout.write(`${workTable(measured)}\n`);
  for (const { name, outcomes } of measured.attacks)
    if (outcomes.first) process.stdout.write(`${name}: ${outcomes.first}\n`);
  process.exit(isWorkBroken(measured) ? 1 : 0);
}
