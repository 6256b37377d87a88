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
    const phases: [string, number][] = [];
    let since = performance.now();
    const endPhase = (name: string) => {
      phases.push([name, (performance.now() - since) / 1000]);
      since = performance.now();
    };

    const cloned = await runShell(`git clone -q ${root} ${folder}/tributary`);
    endPhase('git clone');
    const npm = `cd ${folder}/tributary && npm_config_cache=${folder}/cache npm`;
    const installed = await runShell(`${npm} ci --ignore-scripts`);
    endPhase('npm ci: packages');
    const generated = await runShell(`${npm} run codegen`);
    endPhase('npm ci: codegen');
    const built = await runShell(`${npm} run build`);
    endPhase('npm ci: build');
    // What `npm start` runs: npm itself would keep the signal that ends it to itself.
    const { scripts } = JSON.parse(readFileSync(join(folder, 'tributary/package.json'), 'utf8'));
    expect(scripts.prepare).toBe('npm run codegen && npm run build');
    const running = startProcess(
      'bash',
      ['-c', `exec ${scripts.start}`],
      { PORT: '0' },
      join(folder, 'tributary'),
    );
    onTestFinished(async () => void (await running.stop()), 60_000);
    const url = /Explorer +(\S+)\//.exec(await running.printed(/Try it/))?.[1] ?? '';
    endPhase('npm start: until it listens');
    const visit = await openExplorer(browser, url);
    await visit.send();
    await visit.result.getByText('"Harbour & Heath"').waitFor();
    endPhase('the explorer: until the response is seen');
    const seconds = phases.reduce((sum, [, length]) => sum + length, 0);

    expect([cloned, installed, generated, built].map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    for (const [name, length] of [...phases, ['from nothing to the first response', seconds] as const])
      process.stdout.write(`${name}: ${length.toFixed(1)} s\n`);
    expect(seconds).toBeLessThan(60);
  },
);
