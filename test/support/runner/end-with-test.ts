import { onTestFinished, TestRunner } from 'vitest';

/** Has something that a test started end with the test, also where it fails; hooks end what they start by themselves. */
export function endWithTest(end: () => unknown): void {
  // In the hooks of a later suite the last test is still the current one, though it has finished.
  if (TestRunner.getCurrentTest()?.result?.state === 'run') onTestFinished(async () => void (await end()));
}
