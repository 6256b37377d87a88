import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { createExamples } from '../../../src/server/pages/examples.ts';
import { openExplorer, startExplorer, testInBrowser } from './chromium.ts';

export const examples = createExamples({ companyId: sandboxCompanyId, ...sandboxExamples });

/** An explorer with the sandbox's token and a console, and a first visit of it. */
export const test = testInBrowser
  .extend('layer', { scope: 'file' }, async ({ startedSandbox }, { onCleanup }) => {
    const console = { subscriptionId: null, environment: [] };
    const layer = await startExplorer(startedSandbox.url, {
      examples,
      token: 'sandbox',
      signIn: null,
      console,
    });
    onCleanup(() => layer.stop());
    return layer;
  })
  .extend('url', async ({ layer, sandbox: _reset }) => layer.url)
  .extend('visit', async ({ browser, url }, { onCleanup }) => {
    const visit = await openExplorer(browser, url);
    onCleanup(() => visit.context.close());
    return visit;
  });
