import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCLI } from 'jest';

const rootDir = fileURLToPath(new URL('.', import.meta.url));
const deviations = JSON.parse(readFileSync(new URL('deviations.json', import.meta.url), 'utf8'));
const config = {
  rootDir,
  testMatch: ['<rootDir>/layer.test.mjs'],
  transform: {},
  // The suite and Tributary must load the same graphql module.
  moduleNameMapper: { '^graphql$': '<rootDir>/../../node_modules/graphql/index.js' },
};
const { results } = await runCLI(
  { _: [], $0: '', config: JSON.stringify(config), runInBand: true, ci: true, silent: true, reporters: [] },
  [rootDir],
);

const [{ testResults: all, failureMessage }] = results.testResults;
if (all.length === 0) throw new Error(`The suite did not run. ${failureMessage}`);
const nameOf = ({ ancestorTitles, title }) => [...ancestorTitles.slice(1), title].join(' › ');
const listed = new Set(deviations.flatMap(({ tests }) => tests));
const passed = new Set(all.filter(({ status }) => status === 'passed').map(nameOf));
const names = new Set(all.map(nameOf));
const unlisted = all.filter((test) => !passed.has(nameOf(test)) && !listed.has(nameOf(test)));
const stale = [...listed].filter((name) => passed.has(name) || !names.has(name));

const print = (line) => process.stdout.write(`${line}\n`);
for (const test of unlisted) print(`not listed: ${nameOf(test)}\n${test.failureMessages.join('\n')}`);
for (const name of stale)
  print(`${names.has(name) ? 'listed, but passed' : 'no longer in the suite'}: ${name}`);
for (const { why, tests } of deviations) print(`${tests.length} known deviations: ${why}`);
print(`${passed.size} of ${all.length} passed`);
// Ends despite handles left open by tests that timed out.
process.exit(unlisted.length + stale.length === 0 ? 0 : 1);
