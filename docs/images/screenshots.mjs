/** Retakes the screenshots of the documentation from the built `dev`: `npm run screenshots`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const folder = new URL('./', import.meta.url);
const main = fileURLToPath(new URL('../../dist/main.js', folder));
const fileOf = (name) => fileURLToPath(new URL(`${name}.png`, folder));

const child = spawn(process.execPath, [main, 'dev'], {
  env: { PORT: '0', ADMIN_PORT: 'off' },
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
  const page = await open('/', { viewport: { width: 1200, height: 640 } });
  const response = page.getByRole('textbox', { name: 'Response' });
  const run = () => page.getByRole('button', { name: 'Run', exact: true }).click();
  const take = async (name) => {
    await page.evaluate('document.activeElement.blur()');
    await page.mouse.move(0, 0);
    await page.screenshot({ path: fileOf(name) });
  };
  await run();
  await response.getByText('"Harbour & Heath"').waitFor();
  await take('explorer-query');
  await page.getByRole('tab', { name: /Calls/ }).click();
  await take('explorer-calls');
  await page.getByRole('tab', { name: 'Response' }).click();
  await page.getByRole('button', { name: 'Stop and watch' }).click();
  await run();
  await page.getByText(/Watch: [34] results, subscribed/).waitFor();
  await take('explorer-subscription');
}

const openConsole = async (colorScheme) => {
  const page = await open('/console', { colorScheme, viewport: { width: 1200, height: 800 } });
  await page.getByText('39 components').waitFor();
  return page;
};

async function takeFleet() {
  const page = await openConsole('light');
  for (const name of ['app01', 'app02', 'app03', 'app04'])
    await page.getByLabel(`Select ${name} of N01`, { exact: true }).check();
  await page.getByRole('button', { name: 'Stop …' }).click();
  await page.getByRole('radio', { name: 'Hard stop' }).check();
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
  await page.getByLabel(/^Select all/).check();
  await page.getByRole('button', { name: 'Stop …' }).click();
  await page.getByRole('radio', { name: 'Hard stop' }).check();
  await page.getByLabel(/^Production/).fill('app02');
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

const widths = [320, 390, 768, 1280, 1920];

/** One picture of a page at all widths beside each other, at half their size, light and dark. */
async function takeWidths(name, path, prepare) {
  for (const colorScheme of ['light', 'dark']) {
    const shots = [];
    for (const width of widths) {
      const page = await open(path, { colorScheme, viewport: { width, height: 1000 } });
      await prepare(page);
      await page.evaluate('document.activeElement.blur()');
      shots.push(`data:image/png;base64,${(await page.screenshot()).toString('base64')}`);
      await page.close();
    }
    const sheet = await browser.newPage({ viewport: { width: 1000, height: 500 } });
    const images = shots.map((shot, at) => `<img src="${shot}" width="${widths[at] / 2}" height="500">`);
    await sheet.setContent(
      `<body style="display:flex;gap:12px;margin:12px;width:max-content;background:#888">${images.join('')}`,
    );
    await sheet.locator('body').screenshot({ path: fileOf(`${name}-widths-${colorScheme}`) });
    await sheet.close();
  }
}

const prepareExplorer = async (page) => {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('"Harbour & Heath"').waitFor();
};

try {
  await takeExplorer();
  await takeWidths('explorer', '/', prepareExplorer);
  await takeWidths('console', '/console', (page) => page.getByText('39 components').waitFor());
  await takeFleet();
  await takeOperations();
  await takeEvents();
} finally {
  await browser.close();
  child.kill();
}
