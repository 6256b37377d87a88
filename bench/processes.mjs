// The processes of a benchmark: the built server, the sandbox and the servers of this folder.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const start = (file, args, options) =>
  fork(at(file), args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], ...options });
const firstPrinted = async ({ stdout }, pattern) =>
  pattern.exec(String((await once(stdout, 'data'))[0]))?.[1];

/** Sends a message to a process and returns its response. */
export async function ask(child, message) {
  child.send(message);
  const [response] = await once(child, 'message');
  return response;
}

/** Resident memory of a process. */
export const rssMiB = ({ pid }) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** The peak resident memory of a process until `stop`, sampled ten times a second. */
export function watchMemory(child) {
  const ended = new AbortController();
  const watched = (async () => {
    let peak = 0;
    while (!ended.signal.aborted) {
      peak = Math.max(peak, rssMiB(child));
      await sleep(100);
    }
    return peak;
  })();
  return {
    stop() {
      ended.abort();
      return watched;
    },
  };
}

/** Median, 99th percentile and maximum. */
export function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.5, 0.99, 1].map((part) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
}

/** Starts a server of this folder, which reports its port. */
export async function startServer(file, args = []) {
  const server = start(file, args);
  const [{ port }] = await once(server, 'message');
  return { server, url: `http://127.0.0.1:${port}` };
}

export async function startSandbox() {
  const sandbox = start('../dist/main.js', ['sandbox', '--port', '0'], { env: {} });
  return { sandbox, sandboxUrl: await firstPrinted(sandbox, /BUSINESS_URL=(\S+)/) };
}

/**
 * Starts Tributary as deployed, with `probe.mjs`. `constants` replaces some of `src/config/constants.ts`.
 */
export async function startTributary(settings, constants = {}) {
  const replace = `import { constants } from '${new URL('../dist/config/constants.js', import.meta.url)}'; Object.assign(constants, ${JSON.stringify(constants)});`;
  const server = start('../dist/main.js', ['serve'], {
    execArgv: [at('probe.mjs'), `data:text/javascript,${encodeURIComponent(replace)}`].flatMap((module) => [
      '--import',
      module,
    ]),
    env: {
      PORT: '0',
      ADMIN_PORT: 'off',
      OPERATION_SECRETS: 'a secret of the bench',
      LOG_LEVEL: 'error',
      // All clients of a benchmark have the same IP address, and often the same token.
      MAX_REQUESTS_PER_CALLER: '100000',
      ...settings,
    },
  });
  return { server, url: await firstPrinted(server, /(http\S+\/graphql)/) };
}
