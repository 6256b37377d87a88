import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { openExplorer } from './chromium.ts';
import { test } from './using.ts';

const browsing = test.skipIf(!hasChromium);
const peace = { foreign: [], complaints: [] };

browsing(
  `${inChromium}, what cannot be sent is said in words, and what the server refuses as the server says it`,
  async ({ visit, sandbox }) => {
    const { page, status, result } = visit;
    await sandbox.forgetCalls();
    await visit.fillVariables('x');
    await visit.editor('Variables').fill('{ "companyId": ');
    await visit.send();
    await status.filter({ hasText: 'The variables are not JSON' }).waitFor();
    await visit.editor('Variables').fill('{}');
    await visit.showTab('Headers');
    await visit.editor('Headers').fill('no header');
    await visit.send();
    await status.filter({ hasText: 'A header is written as "name: value".' }).waitFor();
    expect(await sandbox.calls()).toEqual([]);
    await visit.editor('Headers').fill('');
    await visit.write('{ nothing');
    await visit.send();
    await result.getByText('Syntax Error').waitFor();
    await page.context().route('**/graphql', (route) => route.abort());
    await visit.send();
    await status.filter({ hasText: 'No response' }).waitFor();
  },
);

browsing(
  `${inChromium}, a document is written, prettified, run, copied as a command, and run again from the history`,
  async ({ visit, url }) => {
    const { page, result, status } = visit;
    const hint = result.getByText('Run the document to see its response here');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await hint.waitFor();
    await page.getByRole('button', { name: 'New document' }).click();
    await page.keyboard.type('companies { totalCount } # all');
    await page.getByRole('button', { name: 'Prettify' }).click();
    const formatted = 'query NewQuery {\n  companies {\n    totalCount\n  } # all\n}';
    await expect
      .poll(async () => (await visit.editor('Query').locator('.cm-line').allInnerTexts()).join('\n'))
      .toContain(formatted);
    await visit.send();
    await result.getByText('"totalCount": 2').waitFor();
    expect(await hint.count()).toBe(0);

    await visit.showTab('Headers');
    await visit.editor('Headers').fill('x-secret: canary');
    await page.getByRole('button', { name: 'Copy cURL' }).click();
    await status.filter({ hasText: 'The command is copied.' }).waitFor();
    const command: string = await page.evaluate('navigator.clipboard.readText()');
    expect(command).not.toMatch(/canary|Bearer sandbox/);
    // What the shell makes of it.
    const script = `curl() { printf '%s\\n' "$@"; }; TOKEN=given; X_SECRET=other; ${command}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', script]);
    expect(stdout.trim().split('\n')).toEqual([
      `${url}/graphql`,
      ...[
        '-H',
        'content-type: application/json',
        '-H',
        'authorization: Bearer given',
        '-H',
        'x-secret: other',
      ],
      '-d',
      expect.stringContaining('"operationName":"NewQuery"'),
    ]);

    await page.getByRole('button', { name: 'Delete' }).click();
    await visit.isOpen('Orders');
    await visit.showTab('History');
    const history = page.getByRole('tabpanel', { name: 'History' });
    await history.getByText(/ · Status 200 · \d+ ms$/).waitFor();
    await history.getByRole('button', { name: 'NewQuery' }).click();
    await visit.isOpen('Earlier run');
    await visit.send();
    await result.getByText('"totalCount": 2').waitFor();
    await visit.showTab('History');
    expect(await history.getByRole('listitem').count()).toBe(1);
    await history.getByRole('button', { name: 'Clear history' }).click();
    await history.getByText('No runs yet.').waitFor();
    expect(visit).toMatchObject(peace);
  },
);

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
