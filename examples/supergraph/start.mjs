// Starts the whole example: Tributary with its sandbox, the notes, and the gateway.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const running = [];

let isStopping = false;

function stop(code) {
  if (isStopping) return;
  isStopping = true;
  process.exitCode = code;
  for (const child of running) child.kill();
}

/** Starts a program and returns the first match of the pattern in its output. */
function start(args, env, printed) {
  const options = { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] };
  const child = spawn(process.execPath, args, options);
  running.push(child);
  // If one ends, all end.
  child.once('exit', (code) => stop(code || 1));
  return new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const found = printed.exec(text);
      if (found) resolve(found);
    });
  });
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop(0));

const [[, tributary, sandbox], [, notes]] = await Promise.all([
  start(['dist/main.js', 'dev'], {}, /Graph +(\S+)[\s\S]*Sandbox +(\S+)/),
  start(['examples/supergraph/notes.mjs'], {}, /at (\S+)\n/),
]);
const urls = { TRIBUTARY_URL: tributary, NOTES_URL: notes };
const [, supergraph] = await start(['examples/supergraph/gateway.mjs'], urls, /at (\S+)\n/);
console.log(
  `Supergraph  ${supergraph}\nTributary   ${tributary}\nNotes       ${notes}\nSandbox     ${sandbox}`,
);
