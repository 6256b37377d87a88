import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runShell, startScript } from '../support/process.ts';

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const readme = textOf('examples/supergraph/README.md');

test('the example that one command starts answers what its README asks, and ends as a whole', async () => {
  const [, name = ''] = /```sh\nnpm run (\S+)\n/.exec(readme) ?? [];
  const [, script = ''] = /^node (\S+)$/.exec(JSON.parse(textOf('package.json')).scripts[name]) ?? [];
  const [, command = '', answer = ''] =
    /```sh\n(curl[\s\S]*?)```\n+```json\n([\s\S]*?)```/.exec(readme) ?? [];
  const whole = startScript([script], { PORT: '0', ADMIN_PORT: 'off', NOTES_PORT: '0', GATEWAY_PORT: '0' });
  const printed = await whole.printed(/Sandbox +\S+\n/);
  const url = /Supergraph +(\S+)/.exec(printed)?.[1] ?? '';

  const { stdout } = await runShell(command.replace('http://127.0.0.1:4200/graphql', url));

  expect(JSON.parse(stdout)).toEqual(JSON.parse(answer));
  expect(await whole.stop()).toMatchObject({ code: 0, stderr: '' });
  await expect(fetch(url)).rejects.toThrow();
});
