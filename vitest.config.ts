import { defineConfig } from 'vitest/config';

// Without the alias vitest loads graphql twice, once as ESM and once as CommonJS, and neither knows the other's types.
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] };

// Nothing under test keeps state in a module, so the files of a project share what they import.
const project = (name: string, folder: string, env: Record<string, string> = {}, exclude: string[] = []) => ({
  resolve,
  test: {
    name,
    include: [`test/${folder}/**/*.test.ts`],
    exclude,
    env,
    isolate: false,
    // A browser takes its time on a busy machine, and each sign-in loads Altair twice more.
    testTimeout: ['explorer', 'console'].includes(name) ? 120_000 : 15_000,
  },
});

// What upstreams and networks do to calls, how replicas share it, and what is told of it, is the same to both.
const ofOthers = [
  'fault-*',
  'lost-*',
  'many-writes-*',
  'webhook-*',
  '*-replicas.*',
  '*-tokens.*',
  'unread.*',
  'metrics*',
  'traces*',
  'operation-lines.*',
  'generated-code.*',
  'odd-shapes-*',
  'odd-headers.*',
].map((name) => `test/layer/${name}`);

// The tests of the layer run twice: on compiled operations and on interpreted ones.
// biome-ignore lint/style/noDefaultExport: vitest reads its configuration as a default export
export default defineConfig({
  test: {
    // Much of the time is spent waiting for processes and for the steps of operations.
    maxWorkers: 3,
    projects: [
      project('unit', 'unit'),
      project('sandbox', 'sandbox'),
      project('compiled', 'layer', { COMPILE_AFTER: '0' }),
      project('interpreted', 'layer', { COMPILE_AFTER: 'never' }, ofOthers),
      project('process', 'process'),
      project('explorer', 'explorer'),
      project('console', 'console'),
      project('soak', 'soak'),
    ],
  },
});
