import { expect, onTestFinished, test } from 'vitest';
import { startScript } from '../support/process.ts';

const documents = [
  '{ company { customers(first: 2, filter: { city: { ne: "Oslo" } }) { nodes { number } } } }',
  '{ healthEvents(first: 2) { nodes { title } } }',
  'mutation { updateItem(input: { id: "0631d374-8d84-44ab-b760-04e1e862b4e9", ifMatch: "old", patch: { blocked: true } }) { userErrors { code } } }',
  '{ __schema { types { name } } }',
  '{ nothing }',
];

/** Starts the command line, asks it some questions three times, and tells how often code was generated meanwhile. */
async function generatedBy(): Promise<number> {
  const running = startScript(['--import', './test/support/runner/code-spy.mjs', 'dist/main.js', 'dev'], {
    PORT: '0',
  });
  onTestFinished(async () => void (await running.stop()));
  const started = await running.printed(/-d '.*'\n/);
  const url = /Explorer +(\S+)/.exec(started)?.[1];
  for (let time = 0; time < 3; time++)
    for (const query of documents) {
      const response = await fetch(`${url}graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer sandbox' },
        body: JSON.stringify({ query }),
      });
      expect(response.status, started).toBe(query === '{ nothing }' ? 400 : 200);
      await response.text();
    }
  const { stdout } = await running.stop();
  return callsIn(stdout) - callsIn(started);
}

const callsIn = (text: string) => text.split('CODE GENERATED').length - 1;

test('no code is generated once the server listens', async () => {
  expect(await generatedBy()).toBe(0);
});
