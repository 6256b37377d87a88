// Node 20 cannot run TypeScript: the audits are loaded by the server that loads the tests.
import { fileURLToPath } from 'node:url';
import { createViteServer } from 'vitest/node';

const server = await createViteServer({
  configFile: false,
  logLevel: 'error',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, watch: null, ws: false },
});
const { audit } = await server.ssrLoadModule(fileURLToPath(new URL('./command.ts', import.meta.url)));
process.exitCode = await audit(process.argv.slice(2), {
  tell: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
});
await server.close();
