import { test as base } from 'vitest';
import { type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import { fixture } from './fixture.ts';

/** A call as the sandbox's journal tells it. */
export interface JournalEntry {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
  /** What a batch held. */
  readonly parts?: readonly Pick<JournalEntry, 'method' | 'path' | 'status'>[];
}

export type TestSandbox = Awaited<ReturnType<typeof startTestSandbox>>;

/** A sandbox whose instance operations take half a second. */
export async function startTestSandbox(options: SandboxOptions = {}) {
  const sandbox = await startSandbox({ stepMs: 100, ...options });
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${sandbox.url}/sandbox/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok)
      throw new Error(`${method} /sandbox/${path}: ${response.status} ${await response.text()}`);
    return response;
  };

  return {
    ...sandbox,
    /** The calls since the last reset, oldest first. */
    async calls(): Promise<readonly JournalEntry[]> {
      const { requests } = (await (await control('GET', 'journal')).json()) as { requests: JournalEntry[] };
      return requests;
    },
    forgetCalls: async () => void (await control('DELETE', 'journal')),
    reset: async () => void (await control('POST', 'reset')),
    /** What to do to the next matching calls; see `POST /sandbox/faults`. */
    fault: async (fault: Readonly<Record<string, unknown>>) => void (await control('POST', 'faults', fault)),
    /** Freezes what plain reads of records see, or lets them see every write again. */
    lag: async (isLagging: boolean) => void (await control('POST', 'replica', { isLagging })),
    /** Speaks to the sandbox past the layer, as another tool would. */
    send: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      fetch(sandbox.url + path, {
        method,
        headers: { authorization: 'Bearer another-tool', 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
}

/** Tests with a sandbox that starts with the file, and that each of them finds as new. */
export const testWithSandbox = (options: SandboxOptions = {}) =>
  base
    .extend(
      'startedSandbox',
      { scope: 'file' },
      fixture(async ({ onCleanup }) => {
        const sandbox = await startTestSandbox(options);
        onCleanup(() => sandbox.stop());
        return sandbox;
      }),
    )
    .extend('sandbox', async ({ startedSandbox }): Promise<TestSandbox> => {
      await startedSandbox.reset();
      return startedSandbox;
    });
