import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { launchChromium, openExplorer } from '../browser/explorer/chromium.ts';
import { hasChromium, inChromium } from '../support/chromium.ts';
import { environment } from '../support/environment.ts';
import { runShell, startProcess } from '../support/process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const isSoak = environment().SOAK_SECONDS !== undefined;

// A package that is not there is fetched: the time is that of a machine that has none.
test.skipIf(!isSoak || !hasChromium)(
  `${inChromium}, three commands after nothing the first query is answered, within a minute`,
  { timeout: 300_000 },
  async ({ onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-newcomer-'));
    onTestFinished(() => rmSync(folder, { recursive: true }), 60_000);
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const began = performance.now();

    const cloned = await runShell(`git clone -q ${root} ${folder}/tributary`);
    const installed = await runShell(`cd ${folder}/tributary && npm_config_cache=${folder}/cache npm ci`);
    // What `npm start` runs: npm itself would keep the signal that ends it to itself.
    const { scripts } = JSON.parse(readFileSync(join(folder, 'tributary/package.json'), 'utf8'));
    const running = startProcess(
      'bash',
      ['-c', `exec ${scripts.start}`],
      { PORT: '0', SANDBOX_PORT: '0' },
      join(folder, 'tributary'),
    );
    onTestFinished(async () => void (await running.stop()), 60_000);
    const url = /Explorer +(\S+)\//.exec(await running.printed(/Try it/))?.[1] ?? '';
    const visit = await openExplorer(browser, url);
    await visit.isOpen('Orders');
    await visit.send();
    await visit.result.getByText('"Harbour & Heath"').waitFor();
    const seconds = (performance.now() - began) / 1000;

    expect([cloned.code, installed.code]).toEqual([0, 0]);
    process.stdout.write(`From nothing to the first answer in the explorer: ${seconds.toFixed(1)} s\n`);
    expect(seconds).toBeLessThan(60);
  },
);
