import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { hasChromium, inChromium, launchChromium, openExplorer } from '../explorer/chromium.ts';
import { runShell, startProcess } from '../support/process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

// biome-ignore lint/style/noProcessEnv: the environment says whether to soak
const isSoak = process.env.SOAK_SECONDS !== undefined;

// A package that is not there is fetched: the time is that of a machine that has none.
test.skipIf(!isSoak || !hasChromium)(
  `${inChromium}, three commands after nothing the first query is answered, within a minute`,
  { timeout: 300_000 },
  async ({ onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-newcomer-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const began = performance.now();

    const cloned = await runShell(`git clone -q ${root} ${folder}/tributary`);
    const installed = await runShell(`cd ${folder}/tributary && npm_config_cache=${folder}/cache npm ci`);
    const running = startProcess('npm', ['start'], { PORT: '0', SANDBOX_PORT: '0' }, `${folder}/tributary`);
    onTestFinished(async () => void (await running.stop()));
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
