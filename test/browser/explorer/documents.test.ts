import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { openExplorer } from './chromium.ts';
import { test } from './using.ts';

const browsing = test.skipIf(!hasChromium);

browsing(
  `${inChromium}, what is written is there at the next visit, leaves the examples as they are, and headers are kept in the tab alone`,
  async ({ visit }) => {
    const { page, documents } = visit;
    await visit.write('query Mine { __typename }');
    await visit.isOpen('Mine');
    await page.getByRole('button', { name: 'New document' }).click();
    await visit.isOpen('NewQuery');
    await visit.write('query Second { companies { totalCount } }');
    await documents.getByText('Second').waitFor();
    await visit.showTab('Headers');
    await visit.editor('Headers').fill('x-secret: canary');

    await page.reload();
    await visit.isOpen('Second');
    await visit.send();
    await visit.result.getByText('"totalCount": 2').waitFor();
    expect(await visit.editor('Headers').innerText()).toContain('x-secret: canary');
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('canary');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('tab', { name: 'Headers' }).click();
    expect(await other.getByRole('textbox', { name: 'Headers' }).innerText()).not.toContain('canary');

    await page.getByRole('button', { name: 'Delete' }).click();
    await visit.isOpen('Orders');
    await visit.editor('Query').getByText('salesOrders').waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await documents.getByText('Mine').waitFor();
  },
);

browsing(
  `${inChromium}, a link opens its document beside the others, sends nothing, and leaves what is stored`,
  async ({ browser, url, onTestFinished }) => {
    const linked = new URLSearchParams({
      query: '{ linked: __typename }',
      variables: '{ "a": "</script>" }',
    });
    const visit = await openExplorer(browser, `${url}/#${linked}`);
    onTestFinished(() => visit.context.close());
    const { page, documents, result } = visit;

    await visit.isOpen('Linked query');
    await visit.editor('Query').getByText('linked').waitFor();
    await visit.untilSchema();
    expect(await result.innerText()).not.toContain('Query');
    await visit.send();
    await result.getByText('"linked": "Query"').waitFor();
    expect(await page.getByRole('link', { name: 'Console' }).getAttribute('href')).toBe('/console');
    await page.goto(url);
    await visit.isOpen('Orders');
    expect(await documents.getByText('Linked query').count()).toBe(0);
  },
);

browsing(
  `${inChromium}, a linked document keeps its response while it becomes the user's own`,
  async ({ browser, url, onTestFinished }) => {
    const linked = new URLSearchParams({ query: '{ linked: __typename }' });
    const visit = await openExplorer(browser, `${url}/#${linked}`);
    onTestFinished(() => visit.context.close());
    await visit.isOpen('Linked query');
    await visit.send();
    await visit.result.getByText('"linked": "Query"').waitFor();

    await visit.write('query Mine { linked: __typename }');
    await visit.documents.getByText('Mine').waitFor();
    expect(await visit.result.innerText()).toContain('"linked": "Query"');
    expect(await visit.documents.getByText('Linked query').count()).toBe(0);
  },
);

browsing(`${inChromium}, two tabs keep what is written in either`, async ({ visit }) => {
  const { page, documents } = visit;
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole('button', { name: 'New document' }).click();
  await other.getByRole('textbox', { name: 'Query' }).fill('query OfTheOther { __typename }');
  await documents.getByText('OfTheOther').waitFor();
  await page.getByRole('button', { name: 'New document' }).click();
  await visit.write('query OfThisOne { __typename }');

  await other.getByText('OfThisOne').waitFor();
  await page.reload();
  const names = documents.getByRole('button').filter({ hasText: /^Of/ });
  await names.nth(1).waitFor();
  expect(await names.allInnerTexts()).toEqual(['OfTheOther', 'OfThisOne']);
});

browsing(`${inChromium}, undo does not reach into the document that was open before`, async ({ visit }) => {
  const { page, documents } = visit;
  await page.getByRole('button', { name: 'New document' }).click();
  await visit.write('query Former { __typename }');
  await page.getByRole('button', { name: 'New document' }).click();
  await visit.write('query Later { __typename }');
  for (let times = 0; times < 20; times++) await page.keyboard.press('Control+z');

  await expect.poll(() => visit.editor('Query').innerText()).toContain('Ctrl-Space suggests');
  await documents.getByRole('button', { name: 'Former' }).click();
  await visit.editor('Query').getByText('query Former { __typename }').waitFor();
});

browsing(`${inChromium}, what another tab writes leaves the cursor where it is`, async ({ visit }) => {
  const { page } = visit;
  await visit.write('query Mine { a b }');
  for (let back = 0; back < 2; back++) await page.keyboard.press('ArrowLeft');
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole('textbox', { name: 'Query' }).getByText('Mine').waitFor();
  await other.getByRole('textbox', { name: 'Query' }).click();
  await other.keyboard.press('Control+Home');
  await other.keyboard.type('# of the other ');
  await other.keyboard.press('Enter');

  const lines = visit.editor('Query').locator('.cm-line');
  await expect.poll(() => lines.allInnerTexts()).toEqual(['# of the other ', 'query Mine { a b }']);
  await page.keyboard.type('cd');
  await expect.poll(() => lines.allInnerTexts()).toEqual(['# of the other ', 'query Mine { a bcd }']);
});

browsing(`${inChromium}, a link that is copied opens the document as it is written`, async ({ visit }) => {
  const { page, status } = visit;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await visit.write('query Shared($a: Int) { __typename }');
  await visit.fillVariables({ a: 1 });
  await page.getByRole('button', { name: 'Copy link' }).click();
  await status.filter({ hasText: 'The link to this document is copied' }).waitFor();
  const link: string = await page.evaluate('navigator.clipboard.readText()');

  const other = await page.context().newPage();
  await other.goto(link);
  await other.getByRole('textbox', { name: 'Query' }).getByText('Shared').waitFor();
  expect(await other.getByRole('textbox', { name: 'Variables' }).innerText()).toContain('{"a":1}');
});

browsing(
  `${inChromium}, what a link opened is the user's own once it is changed, and another link opens at once`,
  async ({ visit }) => {
    const { page, documents } = visit;
    const goTo = (query: string) => page.evaluate(`location.hash = ${JSON.stringify(`query=${query}`)}`);
    await goTo('{ first: __typename }');
    await visit.editor('Query').getByText('first').waitFor();
    await visit.write('query Kept { __typename }');
    await documents.getByText('Kept').waitFor();
    await goTo('{ second: __typename }');
    await visit.isOpen('Linked query');
    await visit.editor('Query').getByText('second').waitFor();
    await documents.getByText('Kept').click();
    await page.reload();

    await visit.editor('Query').getByText('second').waitFor();
    expect(await documents.getByText('Kept').count()).toBe(1);
  },
);

browsing.for([
  '{"own":null}',
  '{"own":{"length":3},"selected":1}',
  '{"own":[null,{"id":"a"}]}',
  'no JSON',
  '[]',
])(`${inChromium}, the page works where the browser has stored %s`, async (stored, { browser, url }) => {
  const context = await browser.newContext();
  await context.addInitScript(`for (const name of ['tributary.explorer', 'tributary.explorer.history'])
    localStorage.setItem(name, ${JSON.stringify(stored)})`);
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('#status', { hasText: 'Status 200' }).waitFor();
  expect(await page.getByRole('button', { name: 'Orders' }).count()).toBe(1);
  await context.close();
});

browsing(`${inChromium}, the page works without any storage, until it is left`, async ({ browser, url }) => {
  const context = await browser.newContext();
  await context.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } });`);
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: 'New document' }).click();
  await page.getByRole('textbox', { name: 'Query' }).fill('query Mine { __typename }');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('#status', { hasText: 'Status 200' }).waitFor();
  await page.getByText('What you write is lost with this page').waitFor();
  await page.goto(`${url}/console`);
  await page.getByRole('heading', { name: 'Fleet' }).waitFor();
  expect(page.url()).toBe(`${url}/console`);
  await context.close();
});

browsing(
  `${inChromium}, what the full storage of the browser does not keep is said to be lost, until there is room again`,
  async ({ visit }) => {
    const { page } = visit;
    const said = page.getByRole('region', { name: 'Request' }).getByRole('status');
    await page.evaluate(`for (let size = 2 ** 22; size >= 1; size /= 2)
      try {
        for (let at = 0; ; at++) localStorage.setItem(size + ' ' + at, 'x'.repeat(size));
      } catch {}`);
    await page.getByRole('button', { name: 'New document' }).click();
    await visit.write('query Lost { __typename }');
    await said.getByText('What you write is lost with this page').waitFor();
    await page.reload();
    await visit.isOpen('Orders');
    await expect.poll(() => said.innerText()).toBe('');
    expect(await visit.documents.getByText('Lost').count()).toBe(0);

    await page.getByRole('button', { name: 'New document' }).click();
    await said.getByText('What you write is lost with this page').waitFor();
    await page.evaluate(
      `for (const name of Object.keys(localStorage)) if (/^\\d/.test(name)) localStorage.removeItem(name)`,
    );
    await visit.write('query Stored { __typename }');
    await expect.poll(() => said.innerText()).toBe('');
    await page.reload();
    await visit.isOpen('Stored');
  },
);
