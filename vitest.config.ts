import { defineConfig } from 'vitest/config';
import { environment } from './test/support/environment.ts';
import { createMissingToolsReporter } from './test/support/runner/missing-tools.ts';
import { largeYoungGeneration, optimizeLate } from './test/support/runner/node-flags.ts';
import { inOrderOfProjects } from './test/support/runner/sequencer.ts';

// Without the alias vitest loads graphql twice, once as ESM and once as CommonJS, and neither knows the other's types.
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] };

const slow = '**/*.slow.test.ts';
// Tests of how long something takes.
const timed = '**/*.timed.test.ts';

interface Project {
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /** Whether its files run one after another, when those of all others have ended. */
  readonly isAlone?: boolean;
}

const project = (name: string, { include, exclude = [timed], isAlone = false }: Project) => ({
  resolve,
  test: {
    name,
    // Together they save a quarter of the processor time.
    execArgv: [optimizeLate, ...largeYoungGeneration],
    include: [...include],
    exclude: [...exclude],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Nothing under test keeps state in a module, so the files of a project share what they import.
    isolate: false,
    ...(isAlone && { maxWorkers: 1, sequence: { groupOrder: 1 } }),
    // A test that expects nothing proves nothing.
    expect: { requireAssertions: true, poll: { timeout: 30_000, interval: 20 } },
  },
});

const folders = ['test/unit', 'test/sandbox', 'test/layer'];

// `npm run test:all` runs all but `long`, in this order: many short files at the end keep all workers busy. `npm test` runs
// `quick`, `npm run test:long` runs `long`.
const projects = [
  project('browser', { include: ['test/browser/**/*.test.ts'] }),
  project('process', { include: ['test/process/**/*.test.ts'] }),
  project('slow', { include: folders.map((folder) => `${folder}/${slow}`) }),
  project('quick', {
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    exclude: [slow, timed],
  }),
  project('long', { include: ['test/long/**/*.test.ts'] }),
  project('timed', { include: [`test/${timed}`], exclude: [], isAlone: true }),
];

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration as a default export
export default defineConfig({
  test: {
    projects,
    // More than half of the time is spent waiting for processes and for the steps of operations.
    maxWorkers: 4,
    sequence: {
      // In CI one order, so that a run can be repeated; elsewhere another one each time, named by its seed.
      seed: environment().CI ? 1 : Date.now(),
      shuffle: { tests: true, files: false },
      sequencer: inOrderOfProjects(projects.map(({ test }) => test.name)),
    },
    reporters: ['default', createMissingToolsReporter()],
  },
});
