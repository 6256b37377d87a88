import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { replaceConstants, splitConstants } from './constants.ts';
import { environment } from './environment.ts';
import { endWithTest } from './runner/end-with-test.ts';
import { optimizeLate } from './runner/node-flags.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Running = ReturnType<typeof startProcess>;

/** An undefined one is not set: of those that `start` sets itself. */
type Settings = Readonly<Record<string, string | undefined>>;

/** Runs the built command line to its end. */
export async function runTributary(args: readonly string[], settings: Settings = {}): Promise<Finished> {
  return finished(start(process.execPath, ['dist/main.js', ...args], settings));
}

/** Starts the built command line and leaves it running. */
export const startTributary = (args: readonly string[], settings: Settings = {}): Running =>
  startScript(['dist/main.js', ...args], settings);

/** Starts a script of the project and leaves it running. */
export const startScript = (args: readonly string[], settings: Settings = {}): Running =>
  startProcess(process.execPath, args, settings);

/** Starts a program in a folder, the project's where none is given, and leaves it running. */
export function startProcess(command: string, args: readonly string[], settings: Settings, folder = root) {
  const child = start(command, args, settings, folder);
  const end = finished(child);
  let stdout = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  return {
    pid: child.pid ?? 0,
    /** How it ends by itself. */
    ended: end,
    /** What it has printed so far. */
    output: () => stdout,
    /** What it has printed once the pattern is there; rejects when it ends before. */
    async printed(pattern: RegExp): Promise<string> {
      const ended = end.then(({ code, stderr }) => {
        throw new Error(`ended with ${code} before it printed ${pattern}: ${stderr}`);
      });
      while (!pattern.test(stdout))
        await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended]);
      return stdout;
    },
    /** Ends it by a signal, as an operator would. */
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal);
      return end;
    },
  };
}

/** Runs a shell command in the project's folder. */
export const runShell = (command: string): Promise<Finished> =>
  finished(start('bash', ['-euo', 'pipefail', '-c', command], {}));

function start(command: string, args: readonly string[], settings: Settings, cwd = root): ChildProcess {
  // Settings of whoever runs the tests must not reach the command: only what finds programs does. Other tests may
  // keep the machine busy, and all requests of a test come from one address.
  const { PATH = '', HOME = '' } = environment();
  const { settings: own, constants } = splitConstants({
    ADMIN_PORT: '0',
    MAX_LOOP_DELAY_MS: '60000',
    MAX_REQUESTS_PER_CALLER: '100000',
    ...settings,
  });
  const flags = command === process.execPath ? [optimizeLate, ...replaceConstants(constants)] : [];
  const child = spawn(command, [...flags, ...args], {
    cwd,
    env: { PATH, HOME, ...own },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithTest(() => child.kill('SIGKILL'));
  return child;
}

async function finished(child: ChildProcess): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}
