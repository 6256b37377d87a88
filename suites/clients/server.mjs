import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const cwd = fileURLToPath(new URL('.', import.meta.url));

export const headers = { authorization: 'Bearer sandbox' };

/** The schema as clients get it: what `node dist/main.js schema` prints. */
export async function readSdl() {
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'schema'], { cwd });
  return stdout;
}

/** Starts the built server with its sandbox, on free ports. */
export async function startServer() {
  const env = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'error' };
  const child = spawn(process.execPath, [main, 'dev'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.once('exit', (code) => reject(new Error(`The server ended with code ${code}.`)));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const found = /Graph +(\S+)\n/.exec(text);
      if (found) resolve(found[1]);
    });
  });
  return {
    url,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
    },
  };
}
