import { expect } from 'vitest';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import { company, test } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

browsing(
  `${inChromium}, a button makes the next calls of a service fail, and the list shows it until then`,
  async ({ visit, call }) => {
    const { page, armed, requests } = visit;
    await page.getByText('No fault is set.').waitFor();
    await page.locator('#fault-area').selectOption('business');
    await page.getByLabel('Path contains').fill('/customers');
    await page.getByLabel('Times').fill('2');
    await visit.setFault('Error 503');
    await armed.getByText('Next 2 requests to Business Records with /customers in the path').waitFor();
    await page.getByRole('navigation').getByText('1 set').waitFor();

    expect((await call(`${company}/items?$top=1`)).status).toBe(200);
    expect((await call(`${company}/customers?$top=1`)).status).toBe(503);
    await armed.getByText('Next request to Business Records').waitFor();
    expect((await call(`${company}/customers?$top=1`)).status).toBe(503);
    await expect.poll(() => armed.count()).toBe(0);
    expect(await requests.first().innerText()).toMatch(/503[\s\S]*Error 503|Error 503[\s\S]*503/);
    expect((await call(`${company}/customers?$top=1`)).status).toBe(200);
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, a number that a field does not take sets no fault, and the field has the focus`,
  async ({ visit, sandbox }) => {
    const { page, armed } = visit;
    const times = page.getByLabel('Times');
    const focused = () => page.locator(':focus').getAttribute('id');
    for (const value of ['-1', '0', '1.5', '1000000000', '']) {
      await times.fill(value);
      await visit.setFault('Error 503');
      expect(await focused(), value).toBe('fault-times');
    }
    await times.fill('3');
    await page.getByLabel('Delay').fill('600001');
    await visit.setFault('Slow');
    expect(await focused()).toBe('fault-delay');
    await page.getByLabel('Percentage of requests that fail').fill('101');
    await page.getByLabel('Random faults').click();
    expect(await focused()).toBe('chaos-percent');
    await expect.poll(() => page.getByLabel('Random faults').isChecked()).toBe(false);
    await page.getByLabel('Delay').fill('1050');
    await visit.setFault('Slow');
    await armed.getByText('Next 3 requests').waitFor();

    expect(await armed.count()).toBe(1);
    expect(await (await fetch(`${sandbox.url}/sandbox/chaos`)).json()).toEqual({ rate: 0 });
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, a fault is removed before it met a call, and one that a program set, too`,
  async ({ visit, call, sandbox }) => {
    const { armed, page } = visit;
    await visit.setFault('Throttle');
    await armed.getByText('Throttle').waitFor();
    await sandbox.fault({ method: 'GET', status: 418, times: 5 });
    await visit.setFault('Reset before');
    await expect.poll(() => armed.count()).toBe(3);

    await page.getByRole('button', { name: 'Remove Throttle' }).click();
    await expect.poll(() => armed.count()).toBe(2);
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Remove Fault of a program');
    await page.keyboard.press('Enter');
    await expect.poll(() => armed.count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByText('No fault is set.').waitFor();

    expect((await call(`${company}/items?$top=1`)).status).toBe(200);
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, stale reads and random faults are switched on and off`,
  async ({ visit, sandbox }) => {
    const { page } = visit;
    const read = async (path: string) => (await fetch(`${sandbox.url}/sandbox/${path}`)).json();
    await page.getByLabel('Stale reads').check();
    await page.getByRole('navigation').getByText('1 set').waitFor();
    expect(await read('replica')).toEqual({ isLagging: true });
    await page.getByLabel('Stale reads').uncheck();
    await expect.poll(() => read('replica')).toEqual({ isLagging: false });
    await page.getByLabel('Percentage of requests that fail').fill('35');
    await page.getByLabel('reads, too').check();
    await page.getByLabel('Random faults').check();
    await expect.poll(() => read('chaos')).toMatchObject({ rate: 0.35, reads: true });
    await page.getByLabel('Random faults').uncheck();
    await expect.poll(() => read('chaos')).toEqual({ rate: 0 });
    visit.expectPeace();
  },
);
