import { expect } from 'vitest';
import { testToken } from './layer.ts';
import { startTributary } from './process.ts';

export interface Answered {
  readonly data?: Readonly<Record<string, { readonly userErrors?: readonly object[] } | null>> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

/** Asks a layer in a process of its own, which may trust an authority beside those that all do. */
export async function askProcess(
  settings: Readonly<Record<string, string>>,
  queries: readonly string[],
  bearer = testToken,
  secrets: readonly string[] = [],
) {
  const running = startTributary(['serve'], {
    PORT: '0',
    OPERATION_SECRETS: 'a secret of the test',
    LOG_LEVEL: 'debug',
    ...settings,
  });
  const url = /at (\S+)\/graphql/.exec(await running.printed(/graphql[,"]/))?.[1];
  const answers: Answered[] = [];
  for (const query of queries) {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
      body: JSON.stringify({ query }),
    });
    answers.push((await response.json()) as Answered);
  }
  const { stdout, stderr } = await running.stop();
  for (const secret of [bearer, ...secrets]) expect(stdout + stderr).not.toContain(secret);
  expect(JSON.stringify(answers)).not.toMatch(new RegExp([bearer, ...secrets].join('|')));
  return answers;
}
