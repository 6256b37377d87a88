// Loaded before the command line (`--import`): appends the URL of every ES module that is loaded from then on to the
// file that the parameter `to` of this module's own URL names. Module hooks run in a thread of their own.
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

const file = new URL(import.meta.url).searchParams.get('to');

export function load(url, context, nextLoad) {
  appendFileSync(file, `${url}\n`);
  return nextLoad(url, context);
}
