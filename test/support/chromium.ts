import { existsSync } from 'node:fs';

export const chromiumPath = '/usr/bin/chromium';

/** Whether this machine has a browser to test pages in. */
export const hasChromium = existsSync(chromiumPath);

export const inChromium = hasChromium ? 'in Chromium' : `in Chromium (skipped: no ${chromiumPath})`;
