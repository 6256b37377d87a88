import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { replaceConstants, splitConstants } from '../support/constants.ts';

/** How a process of the layer stands, its garbage taken away. */
export interface Standing {
  readonly heapBytes: number;
  readonly sockets: number;
  readonly timers: number;
  readonly rejections: number;
  readonly warnings: readonly string[];
  /** Files and sockets, as the system counts them. */
  readonly descriptors: number;
}

/** A layer alone in a process, so that its figures are its own. */
export interface OwnProcess {
  readonly url: string;
  standing(): Promise<Standing>;
  /** Ends it, and tells what it wrote to standard error. */
  stop(): Promise<{ readonly code: number | null; readonly stderr: string }>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

export async function startOwnProcess(settings: Readonly<Record<string, string>>): Promise<OwnProcess> {
  const { settings: own, constants } = splitConstants(settings);
  const flags = ['--expose-gc', ...replaceConstants(constants), '--import', './test/long/probe.mjs'];
  const args = [...flags, 'dist/main.js', 'serve'];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: own,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = once(child, 'close');
  let [stdout, stderr] = ['', ''];
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout?.on('data', (chunk) => {
    // What is logged later is not looked at.
    if (stdout.length < 10_000) stdout += chunk;
  });
  const urlOf = () => /at (\S+)\/graphql/.exec(stdout)?.[1];
  const isOver = ended.then(() => true);
  while (!urlOf())
    if (await Promise.race([sleep(50, false), isOver])) throw new Error(`ended before it served: ${stderr}`);

  return {
    url: urlOf() ?? '',
    async standing() {
      const told = once(child, 'message');
      child.send('how do you stand');
      const [standing] = await Promise.race([
        told,
        ended.then(() => Promise.reject(new Error(`ended: ${stderr}`))),
      ]);
      return { ...standing, descriptors: readdirSync(`/proc/${child.pid}/fd`).length };
    },
    async stop() {
      child.kill();
      const [code] = await ended;
      return { code, stderr };
    },
  };
}
