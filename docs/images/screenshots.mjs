/** Retakes the screenshots of the documentation from the built `dev`: `npm run screenshots`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const folder = new URL('./', import.meta.url);
const main = fileURLToPath(new URL('../../dist/main.js', folder));
const fileOf = (name) => fileURLToPath(new URL(`${name}.png`, folder));

const child = spawn(process.execPath, [main, 'dev'], {
  env: { PORT: '0', ADMIN_PORT: 'off', SANDBOX_PORT: '0', MAX_LOOP_DELAY_MS: '60000' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let printed = '';
while (!/Console +\S+\n/.test(printed)) printed += (await once(child.stdout, 'data'))[0];
const [, url] = /Graph +(\S+)\/graphql/.exec(printed);
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  // Without subpixel antialiasing the pictures have half the size.
  args: ['--no-sandbox', '--disable-gpu', '--disable-lcd-text'],
});

const open = async (path, options = {}) => {
  const page = await browser.newPage({
    viewport: { width: 1000, height: 560 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options,
  });
  page.setDefaultTimeout(90_000);
  await page.goto(url + path);
  return page;
};

async function takeExplorer() {
  const page = await open('/');
  const window = page.locator('app-window:visible');
  const result = window.locator('app-query-result');
  const tabs = page.locator('app-window-switcher-item');
  const choose = async (name) => {
    await tabs.filter({ hasText: name }).click();
    await tabs.filter({ hasText: name }).locator('.window-switcher__item--active').waitFor();
  };
  const send = () => window.getByRole('button', { name: 'Send Request' }).click();

  await tabs.filter({ hasText: 'Orders' }).locator('.window-switcher__item--active').waitFor();
  await send();
  await result.getByText('"Harbour & Heath"').waitFor();
  await page.screenshot({ path: fileOf('explorer-query') });

  await choose('Stop an instance');
  await send();
  await result.getByText('"userErrors": []').waitFor();
  const [, id] = /"id": "([^"]+)"/.exec(await result.innerText());
  await page.getByText('Reloaded doc successfully').waitFor({ state: 'hidden' });
  await page.screenshot({ path: fileOf('explorer-mutation') });

  await choose('Watch it stop');
  await window.getByText('Variables', { exact: true }).click();
  await window.locator('app-variables-editor .cm-content').fill(JSON.stringify({ id }));
  await send();
  await result.getByText('"operationProgress"').nth(1).waitFor();
  await page.screenshot({ path: fileOf('explorer-subscription') });
}

const openConsole = async (colorScheme) => {
  const page = await open('/console', { colorScheme, viewport: { width: 1200, height: 800 } });
  await page.getByText('110 components').waitFor();
  return page;
};

async function takeFleet() {
  const page = await openConsole('light');
  for (const name of ['app01', 'nested', 'endless', 'fragile'])
    await page.getByLabel(`Select ${name} of N01`, { exact: true }).check();
  await page.getByRole('button', { name: 'Stop …' }).click();
  await page.getByRole('button', { name: 'Hard-stop 4 instances' }).click();
  await page.getByText('Stop failed').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByLabel('Search').fill('app');
  for (const name of ['app02', 'app03', 'app04'])
    await page.getByLabel(`Select ${name} of E01`, { exact: true }).check();
  await page.evaluate('scrollTo(0, 0); document.activeElement.blur()');
  await page.screenshot({ path: fileOf('console-light') });
}

async function takeOperations() {
  const page = await openConsole('dark');
  await page.getByLabel('Search').fill('e01 app02');
  await page.getByLabel('Select all shown').check();
  await page.getByRole('button', { name: 'Stop …' }).click();
  await page.getByRole('button', { name: /^Hard-stop/ }).click();
  await page.getByRole('link', { name: 'Follow' }).click();
  await page.getByText('Failed step').waitFor();
  await page
    .getByText(/Running · [46]0 %/)
    .first()
    .waitFor();
  await page.evaluate('scrollTo(0, 0); document.activeElement.blur()');
  await page.screenshot({ path: fileOf('console-dark') });
}

async function takeEvents() {
  const page = await openConsole('light');
  await page.getByRole('link', { name: /^Health events/ }).click();
  await page.locator('.events li').nth(5).waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.screenshot({ path: fileOf('console-events') });
}

try {
  await takeExplorer();
  await takeFleet();
  await takeOperations();
  await takeEvents();
} finally {
  await browser.close();
  child.kill();
}
