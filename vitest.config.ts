import { defineConfig } from 'vitest/config';
import { environment } from './test/support/environment.ts';
import { createMissingToolsReporter } from './test/support/missing-tools.ts';
import { inOrderOfProjects } from './test/support/sequencer.ts';

// Without the alias vitest loads graphql twice, once as ESM and once as CommonJS, and neither knows the other's types.
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] };

const slow = '**/*.slow.test.ts';

interface Project {
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  readonly env?: Record<string, string>;
  readonly testTimeout?: number;
}

const project = (name: string, { include, exclude = [], env = {}, testTimeout = 60_000 }: Project) => ({
  resolve,
  test: {
    name,
    include: [...include],
    exclude: [...exclude],
    env,
    testTimeout,
    hookTimeout: 60_000,
    // Nothing under test keeps state in a module, so the files of a project share what they import.
    isolate: false,
    // A test that expects nothing proves nothing.
    expect: { requireAssertions: true, poll: { timeout: 10_000, interval: 20 } },
  },
});

const folders = ['test/unit', 'test/sandbox', 'test/layer'];
const env = { COMPILE_AFTER: '0' };
// What documents, arguments, selections and variables mean, and how fields fail, has to be the same whether operations
// are compiled or interpreted. What upstreams and networks do to calls, and what is observed of it, does not depend on it.
const executed = ['documents', 'federation'].map((folder) => `test/layer/${folder}/**/*.test.ts`);

// `npm run test:all` runs them in this order: many short files at the end keep all workers busy. `npm test` runs the last.
const projects = [
  project('soak', { include: ['test/soak/**/*.test.ts'] }),
  // A browser takes its time on a busy machine.
  project('browser', { include: ['test/browser/**/*.test.ts'], testTimeout: 120_000 }),
  project('process', { include: ['test/process/**/*.test.ts'] }),
  project('slow', { include: folders.map((folder) => `${folder}/${slow}`), env }),
  project('interpreted', { include: executed, env: { COMPILE_AFTER: 'never' } }),
  project('quick', { include: folders.map((folder) => `${folder}/**/*.test.ts`), exclude: [slow], env }),
];

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration as a default export
export default defineConfig({
  test: {
    projects,
    // More than half of the time is spent waiting for processes and for the steps of operations. In CI one fewer: tests that
    // measure times, and browsers, share two cores with the others.
    maxWorkers: environment().CI ? 3 : 4,
    sequence: {
      // In CI one order, so that a run can be repeated; elsewhere another one each time, named by its seed.
      seed: environment().CI ? 1 : Date.now(),
      shuffle: { tests: true, files: false },
      sequencer: inOrderOfProjects(projects.map(({ test }) => test.name)),
    },
    reporters: ['default', createMissingToolsReporter()],
  },
});
