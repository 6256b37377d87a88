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
    expect(names).toEqual([...examples.map(({ name }) => name), 'Untitled', 'New document']);
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

    await visit.showTab('Schema');
    await page.getByLabel('Search the schema').fill('_e');
    await page.getByText('No type or field has this name.').waitFor();
    await page.getByLabel('Search the schema').fill('customerFilter');
    await page.getByRole('button', { name: 'CustomerFilter', exact: true }).first().click();
    await page.getByRole('heading', { name: 'CustomerFilter input' }).waitFor();
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
