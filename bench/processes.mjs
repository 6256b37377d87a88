// The processes of a benchmark: the built server and the upstreams of this folder.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const quiet = { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] };
const firstPrinted = async ({ stdout }, pattern) =>
  pattern.exec(String((await once(stdout, 'data'))[0]))?.[1];

/** Seconds of processor time that a process has used. */
export function cpuSeconds({ pid }) {
  const [, fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  // In ticks of the kernel's user interface, which are 10 ms on Linux.
  return (user + system) / 100;
}

/** Resident memory of a process. */
export const rssMiB = ({ pid }) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** Starts an upstream of this folder and returns what it reports about itself. */
export async function startUpstream(file) {
  const upstream = fork(at(file), [], quiet);
  const [said] = await once(upstream, 'message');
  return { upstream, ...said };
}

export async function startSandbox() {
  const sandbox = fork(at('../dist/main.js'), ['sandbox', '--port', '0'], { ...quiet, env: {} });
  return { sandbox, sandboxUrl: await firstPrinted(sandbox, /BUSINESS_URL=(\S+)/) };
}

/**
 * Starts the server as deployed; with a probe it reports its memory on request. `constants` replaces some of
 * `src/config/constants.ts`.
 */
export async function startLayer(env, { isProbed = false, constants = {} } = {}) {
  const replace = `import { constants } from '${new URL('../dist/config/constants.js', import.meta.url)}'; Object.assign(constants, ${JSON.stringify(constants)});`;
  const layer = fork(at('../dist/main.js'), ['serve'], {
    ...quiet,
    execArgv: [
      ...(isProbed ? ['--import', at('probe.mjs')] : []),
      '--import',
      `data:text/javascript,${encodeURIComponent(replace)}`,
    ],
    env: {
      PORT: '0',
      ADMIN_PORT: 'off',
      OPERATION_SECRETS: 'a secret of the bench',
      LOG_LEVEL: 'error',
      // All clients of a benchmark have the same IP address, and often the same token.
      MAX_REQUESTS_PER_CALLER: '100000',
      ...env,
    },
  });
  return { layer, url: await firstPrinted(layer, /(http\S+\/graphql)/) };
}
