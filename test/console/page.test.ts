import { expect } from 'vitest';
import { signInBelow } from '../../src/server/sign-in.ts';
import { hasChromium, inChromium } from '../explorer/chromium.ts';
import { sentAs } from '../explorer/signing-in.ts';
import { keptBy, test, token, type Visit } from './visiting.ts';

const browsing = test.skipIf(!hasChromium);

const hostile = (text: string) =>
  `<img src="x" onerror="window.hostile = '${text}'"><script>window.hostile = 1</script> ${text}`;
const eventWith = (priority: number, update: string) => ({
  trackingId: 'SI_9-EVL',
  properties: {
    eventType: 'ServiceIssue',
    eventLevel: 'Critical',
    status: 'Active',
    priority,
    title: hostile('title'),
    summary: hostile('summary'),
    impact: [
      {
        impactedService: hostile('service'),
        impactedRegions: [
          {
            impactedRegion: hostile('region'),
            status: 'Active',
            updates: [{ summary: hostile(update), updateDateTime: '2026-01-01T10:00:00Z' }],
          },
        ],
      },
    ],
  },
});

browsing(
  `${inChromium}, health events stand by their priority, tell what changes while they are open, and text stays text`,
  async ({ sandbox, start, visitOf }) => {
    const tell = (event: unknown) =>
      fetch(`${sandbox.url}/sandbox/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(event),
      });
    await tell(eventWith(0, 'first update'));
    const { url } = await start();
    const visit = await visitOf(url);
    const { page } = visit;
    const events = page.locator('#event-list > li');
    await events.first().waitFor();

    const priorities = (await events.locator('.facts').allInnerTexts()).flatMap((text) => {
      const [, type = ''] = text.split(' · ').slice(1);
      const [, priority] = /^Priority (\d+)/.exec(text) ?? [];
      return priority === undefined || type === '' ? [] : [Number(priority)];
    });
    expect(priorities).toEqual([0, 2, 5, 9, 18]);
    const first = events.first();
    expect(await first.locator('h3').innerText()).toBe(hostile('title'));
    expect(await first.locator('.impact').innerText()).toBe(
      `Affects ${hostile('service')} (${hostile('region')})`,
    );
    await first.locator('summary').click();
    await first.getByText('first update').waitFor();
    await tell(eventWith(1, 'second update'));
    await first.getByText('second update').waitFor();

    expect(await first.getByText('Priority 1 ·').count()).toBe(1);
    expect(await page.locator('#news').innerText()).toBe('Health event SI_9-EVL has changed.');
    expect(await events.locator('img, script, b').count()).toBe(0);
    expect(await page.evaluate('typeof window.hostile')).toBe('undefined');
    visit.expectPeace();
  },
);

browsing(`${inChromium}, upstreams in trouble say so, and why`, async ({ sandbox, start, visitOf }) => {
  const { url } = await start();
  const visit = await visitOf(url);
  const { page } = visit;
  const upstream = (name: string) => page.locator('#upstream-list > li').filter({ hasText: name });
  await upstream('Business records').getByText('✓ Well').waitFor();
  await sandbox.fault({ path: '/companies', status: 503, times: 100 });
  await sandbox.fault({ path: '/events', status: 429, headers: { 'retry-after': '40' }, times: 100 });
  const ask = (query: string) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    });

  await Promise.all(
    Array.from({ length: 20 }, (_, at) => ask(`{ companies(first: ${at + 1}) { nodes { name } } }`)),
  );
  await ask('{ healthEvents { totalCount } }');
  await page.reload();
  await upstream('Business records').getByText('In trouble').waitFor();

  expect(await upstream('Business records').innerText()).toMatch(
    /It failed too often and is left alone\.[\s\S]*Left alone until/,
  );
  await upstream('Health events').getByText('It throttles you: nothing is sent for a while.').waitFor();
  expect(await upstream('Health events').innerText()).toContain('Paused until');
  await page.locator('#events-fault').getByText('The upstream is throttling this caller').waitFor();
  expect(await upstream('Instances').getByText('✓ Well').count()).toBe(1);
  visit.expectPeace();
});

browsing(`${inChromium}, all of it is done by the keyboard`, async ({ visit, sandbox }) => {
  const { page, dialog, card } = visit;
  const focused = page.locator(':focus');
  const tabTo = async (name: string) => {
    for (let step = 0; step < 30 && (await focused.count()) + 1; step++) {
      await page.keyboard.press('Tab');
      if ((await focused.innerText().catch(() => '')) === name) return;
    }
    throw new Error(`${name} is not reached by Tab.`);
  };
  await page.getByText('events go on').waitFor();

  await page.keyboard.press('Tab');
  expect(await focused.innerText()).toBe('Skip to the content');
  await tabTo('Stop …');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  await page.keyboard.press('Enter');
  expect(await focused.innerText()).toBe('Cancel');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  expect(await visit.isFocused('#stop')).toBe(true);
  expect((await sandbox.calls()).filter(({ method }) => method === 'POST')).toEqual([]);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await card('Stop of app01').waitFor();
  await expect.poll(() => visit.isFocused('#operation-list > li')).toBe(true);
  await page.locator('summary').first().focus();
  await page.keyboard.press('Enter');
  await page.getByText('Hosts of one row lose their power supply.').waitFor();
  visit.expectPeace();
});

browsing(
  `${inChromium}, everything has a role and a name, and what can be read can be read in light and dark, also on a phone`,
  async ({ start, visitOf }) => {
    const { url } = await start();
    for (const colorScheme of ['light', 'dark'] as const) {
      const visit = await visitOf(url, { colorScheme, viewport: { width: 360, height: 740 } });
      const { page } = visit;
      await visit.stopHard('fragile');
      await visit.card('Stop of fragile').getByText('StopFailed').first().waitFor();
      await page.locator('summary').first().click();
      await page.getByText('Hosts of one row lose their power supply.').waitFor();
      await visit.stop.click();

      expect(await contrastFaults(visit), colorScheme).toEqual([]);
      await page.keyboard.press('Escape');
      expect(await contrastFaults(visit), colorScheme).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
        colorScheme === 'light' ? 'rgb(244, 246, 248)' : 'rgb(15, 19, 24)',
      );
      expect(await namelessIn(visit)).toEqual([]);
      visit.expectPeace();
    }
  },
);

browsing(`${inChromium}, the page is read out as it is built`, async ({ visit }) => {
  const { page } = visit;
  await page.getByText('events go on').waitFor();

  const snapshot = await page.locator('body').ariaSnapshot();

  for (const part of [
    '- banner:',
    '- heading "Console" [level=1]',
    '- main:',
    '- region "Upstreams":',
    '- region "Operations":',
    '- region "Stop or start an instance":',
    '- region "Health events":',
    '- textbox "Subscription": 11111111-2222-4333-8444-555555555555',
    '- spinbutton "Soft stop, in seconds"',
    '- button "Clear finished" [disabled]',
    '- heading "Virtual machines in West restart" [level=3]',
  ])
    expect(snapshot).toContain(part);
  expect(snapshot).not.toContain('dialog');
  await visit.stop.click();
  const dialog = await visit.dialog.ariaSnapshot();
  expect(dialog).toContain('- dialog "Stop app01?"');
  expect(dialog).toContain('- button "Stop app01 hard"');
  visit.expectPeace();
});

browsing(
  `${inChromium}, a token given by hand is kept in the tab alone, and forgotten when it is said`,
  async ({ start, visitOf, sandbox }) => {
    const { url } = await start({ token: null });
    const visit = await visitOf(url);
    const { page } = visit;
    const secret = 'canary-token-of-a-visitor';
    await page.getByText('Sign in, or give a token').waitFor();
    expect(await page.getByRole('region').count()).toBe(0);

    await page.getByLabel('Token', { exact: true }).fill(`Bearer ${secret}`);
    await page.keyboard.press('Enter');
    await page.getByText('events go on').waitFor();
    await visit.stopHard('app01');
    await visit.stateOf('Stop of app01').getByText('Succeeded').waitFor();

    const { local, session } = await keptBy(page);
    expect(JSON.stringify(local)).not.toContain(secret);
    expect(Object.keys(local)).toHaveLength(1);
    expect(Object.keys(session)).toEqual(['tributary.session']);
    expect(page.url()).toBe(`${url}/console`);
    expect(await page.content()).not.toContain(secret);
    const sent = (await sandbox.calls()).filter(({ path }) => path.startsWith('/subscriptions/'));
    expect(new Set(sent.map(({ headers }) => headers.authorization))).toEqual(new Set([sentAs(secret)]));
    await page.getByRole('button', { name: 'Forget the token' }).click();
    await page.getByText('Sign in, or give a token').waitFor();
    expect((await keptBy(page)).session).toEqual({});
    visit.expectPeace();
  },
);

browsing(
  `${inChromium}, who signs in comes back to what was shared, and finds the same list at the next sign-in`,
  async ({ start, visitOf, sandbox }) => {
    const signIn = { ...signInBelow(sandbox.url), clientId: 'explorer', scope: 'user_impersonation' };
    const { url } = await start({ token: null, signIn, console: { instance: null } });
    const visit = await visitOf(url, { friends: [sandbox.url] });
    const { page } = visit;
    const list = page.locator('#operation-list > li');
    const signInAs = async (name: string) => {
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByText('Signed in').waitFor();
    };
    const signOut = async () => {
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
    };
    const handle = 'eyJhbGciOiJkaXIifQ..AAAA.AAAA.AAAA';

    await page.goto(`${url}/console#operation=${handle}`);
    await signInAs('ada');
    await list.getByText('is not the handle of an operation').waitFor();
    expect(page.url()).toBe(`${url}/console`);
    await signOut();
    await signInAs('guest');
    await page.getByText('None is followed in this browser.').waitFor();
    await page.locator('#events-fault:not(:empty)').waitFor();
    await signOut();
    await signInAs('ada');
    await list.getByText('is not the handle of an operation').waitFor();

    const { local, session } = await keptBy(page);
    expect(Object.keys(local)).toHaveLength(1);
    for (const part of JSON.parse(session['tributary.session'] ?? '{}').token.split('.'))
      expect(JSON.stringify(local)).not.toContain(part);
    visit.expectPeace();
  },
);

/** Texts that stand out too little from what is behind them: 4.5 to 1 is the least (WCAG AA). */
const contrastFaults = ({ page }: Visit): Promise<string[]> =>
  page.evaluate(`(() => {
    const numbers = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => [r, g, b]
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
      .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
    const behind = (element) => {
      const color = numbers(getComputedStyle(element).backgroundColor);
      return color.length === 3 || color[3] === 1 ? color : behind(element.parentElement);
    };
    const texts = [...document.querySelectorAll('body *')].filter((element) =>
      element.checkVisibility() &&
      (element instanceof HTMLInputElement || [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())));
    if (texts.length < 60) return ['There is too little to read: ' + texts.length];
    return texts.flatMap((element) => {
      const [one, other] = [light(numbers(getComputedStyle(element).color)), light(behind(element))].sort((a, b) => b - a);
      const ratio = (one + 0.05) / (other + 0.05);
      return ratio < 4.5 ? [element.tagName + ' ' + element.textContent.slice(0, 40) + ': ' + ratio.toFixed(2)] : [];
    });
  })()`);

/** What can be used, or shows how far something is, and has no name for who cannot see it; headings that skip a level. */
async function namelessIn({ page }: Visit): Promise<string[]> {
  const snapshot = await page.locator('body').ariaSnapshot();
  const lines = snapshot.split('\n').map((line) => line.trim());
  const nameless = lines.filter((line) =>
    /^- (button|textbox|spinbutton|link|progressbar|region|heading)( \[|:|$)/.test(line),
  );
  const levels = lines.flatMap((line) => /^- heading .*\[level=(\d)\]/.exec(line)?.[1] ?? []).map(Number);
  const skipped = levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1);
  return [...nameless, ...skipped.map((level) => `a heading of level ${level} below none of ${level - 1}`)];
}
