import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { examples, test } from './using.ts';

const browsing = test.skipIf(!hasChromium);
const peace = { foreign: [], complaints: [] };

browsing(
  `${inChromium}, a first visit opens on the orders, runs them, and reads the schema once`,
  async ({ visit }) => {
    const { page, documents, result, status } = visit;
    await visit.untilSchema();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.postData() ?? ''));
    await page.reload();

    await visit.isOpen('Orders');
    await visit.send();
    await result.getByText('"Harbour & Heath"').waitFor();
    await visit.untilSchema();
    await visit.open('Health event');
    await page.getByRole('button', { name: 'New document' }).click();

    expect(requests.filter((body) => body.includes('__schema'))).toHaveLength(1);
    await expect.poll(() => status.innerText()).toBe('');
    const names = await documents.getByRole('button').allInnerTexts();
    expect(names).toEqual([...examples.map(({ name }) => name), 'NewQuery', 'New document']);
    expect(visit).toMatchObject(peace);
  },
);

browsing(
  `${inChromium}, one click stops an instance and watches it until it has stopped`,
  async ({ visit }) => {
    const { page, result, status } = visit;
    await visit.open('Stop and watch');
    await expect
      .poll(() => page.getByLabel('Operation').locator('option').allInnerTexts())
      .toEqual(['mutation Stop', 'subscription Watch']);
    const [answered] = await Promise.all([page.waitForResponse('**/graphql'), visit.send()]);
    await result.filter({ hasText: /"operationProgress": \{\s*"state": "SUCCEEDED"/ }).waitFor();

    await expect.poll(() => status.innerText()).toMatch(/^Watch: complete after \d+ results?$/);
    expect(await answered.json()).toMatchObject({ data: { stopApplicationInstance: { userErrors: [] } } });
    await page.getByRole('button', { name: 'Run' }).waitFor();
    expect(visit).toMatchObject(peace);
  },
);

browsing(
  `${inChromium}, the chosen operation stays chosen while the document is changed, and where it is renamed`,
  async ({ visit }) => {
    const { page } = visit;
    const chosen = () => page.getByLabel('Operation').locator('option:checked').innerText();
    await visit.open('Stop and watch');
    await page.getByLabel('Operation').selectOption('Watch');

    await page.locator('#query .cm-content').focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\nquery Other {');
    expect(await chosen()).toBe('subscription Watch');
    await page.keyboard.type(' __typename }');
    await expect.poll(() => page.getByLabel('Operation').locator('option').count()).toBe(3);
    expect(await chosen()).toBe('subscription Watch');

    await page.getByText('Watch', { exact: true }).first().dblclick();
    await page.keyboard.type('Follow');
    await expect.poll(chosen).toBe('subscription Follow');
    expect(visit).toMatchObject(peace);
  },
);

browsing(
  `${inChromium}, Calls lists the upstream calls of the response, and why relations were read as they were`,
  async ({ visit, sandbox }) => {
    const { page, status } = visit;
    await sandbox.forgetCalls();
    await visit.send();
    await expect
      .poll(() => status.innerText())
      .toMatch(/^Status 200 · \d+ ms · [\d.]+ kB · 2 upstream calls$/);
    await visit.showTab('Calls (2)');
    const calls = page.getByRole('tabpanel', { name: 'Calls (2)' }).locator('.calls > li');

    const paths = (await sandbox.calls()).map(({ path }) => decodeURIComponent(path));
    const shown = await calls.locator('p code').allInnerTexts();
    expect(shown.map((text) => text.replace(/^GET /, '')).sort()).toEqual(paths.sort());
    await calls.getByText('salesOrders/customer').waitFor();
    await visit.showTab('Response');
    expect(await visit.result.innerText()).not.toContain('"upstream"');
  },
);

browsing(
  `${inChromium}, the editor suggests fields of the schema, and nothing that is there for gateways only`,
  async ({ visit }) => {
    const { page } = visit;
    await visit.untilSchema();
    await visit.write('');
    await visit.editor('Query').click();
    await page.keyboard.type('{ health');
    const suggestions = page.getByRole('listbox', { name: 'Completions' });
    await suggestions.getByRole('option', { name: 'healthEvents' }).first().waitFor();
    await page.keyboard.press('Escape');
    await visit.write('');
    await page.keyboard.type('{ ');
    await page.keyboard.press('Control+Space');
    await suggestions.getByRole('option', { name: 'companies' }).waitFor();
    expect(await suggestions.getByRole('option', { name: /^_[a-z]/ }).count()).toBe(0);
    const names = await suggestions.locator('.cm-completionLabel').allInnerTexts();
    expect(names.slice(-3)).toEqual(['__schema', '__type', '__typename']);

    await visit.showTab('Schema');
    await page.getByLabel('Search the schema').fill('_entities');
    await page.getByText('Nothing has all of these words').waitFor();
  },
);

browsing(
  `${inChromium}, what cannot be sent is said in words, and what the server refuses as the server says it`,
  async ({ visit, sandbox }) => {
    const { page, status, result } = visit;
    await sandbox.forgetCalls();
    await visit.fillVariables('x');
    await visit.editor('Variables').fill('{ "companyId": ');
    await visit.send();
    await status.filter({ hasText: 'The variables are not JSON' }).waitFor();
    await visit.editor('Variables').fill('[1]');
    await visit.send();
    await status.filter({ hasText: 'The variables must be a JSON object' }).waitFor();
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
  `${inChromium}, a subscription that lost its connection says so, connects again and goes on`,
  async ({ visit }) => {
    const { page, status } = visit;
    let isDown = false;
    const sockets: { close(options: { code: number }): Promise<void> }[] = [];
    await page.routeWebSocket('**/graphql', (socket) => {
      if (isDown) return socket.close({ code: 1001 });
      sockets.push(socket);
      socket.connectToServer();
    });
    await visit.write('subscription Live { healthEventsChanged { trackingId } }');
    await visit.send();
    await status.filter({ hasText: 'Live: waiting' }).waitFor();
    await expect.poll(() => sockets.length).toBe(1);
    isDown = true;
    await sockets[0]?.close({ code: 1001 });
    await status.filter({ hasText: 'disconnected, connecting again' }).waitFor();
    isDown = false;
    await expect.poll(() => sockets.length).toBe(2);
    await status.filter({ hasText: 'Live: waiting for the first result' }).waitFor();
    expect(await page.getByRole('button', { name: 'Unsubscribe' }).count()).toBe(1);
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
  `${inChromium}, what is described is found and shown, and the results are there again`,
  async ({ visit }) => {
    const { page } = visit;
    await visit.untilSchema();
    await visit.showTab('Schema');
    await page.getByLabel('Search the schema').fill('overdue');
    const found = page.getByRole('tabpanel', { name: 'Schema' }).locator('.found li');
    await expect
      .poll(async () => (await found.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')))
      .toEqual([
        "CustomerFinancials.overdueAmount: Decimal field The part of the balance that is overdue, in the company's home currency.",
        expect.stringMatching(/^Customer\.balanceDue: Decimal field /),
      ]);
    await page.getByRole('button', { name: 'Customer.balanceDue' }).click();
    await page.getByRole('heading', { name: 'Customer object' }).waitFor();
    await page.locator('dt[data-shown]', { hasText: 'balanceDue' }).waitFor();
    await page.getByRole('button', { name: 'Search results' }).click();
    expect(await found.count()).toBe(2);
  },
);

browsing(`${inChromium}, /graphql is the explorer, and a long message is wrapped`, async ({ visit, url }) => {
  const { page, result } = visit;
  await page.goto(`${url}/graphql`);
  await visit.isOpen('Orders');
  await visit.write(`{ ${'long'.repeat(100)} }`);
  await visit.send();
  await result.getByText('Cannot query field').waitFor();

  expect(
    await page.locator('#response-panel .cm-scroller').evaluate((one) => one.scrollWidth - one.clientWidth),
  ).toBe(0);
});
