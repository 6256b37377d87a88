import { expect } from 'vitest';
import { attacks } from '../../../bench/hostile-documents.mjs';
import { testWith } from '../../support/layer.ts';

const test = testWith({}, { MCP: 'ad-hoc', INTROSPECTION: 'off' });

type Attack = (n: number, isStream: boolean) => unknown;
const kinds = Object.entries(attacks as Record<string, Attack>);

/** The arguments as they are, also where they are no JSON. */
const call = (args: unknown) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_query","arguments":${
    typeof args === 'string' ? args : JSON.stringify(args)
  }}}`;

test.for(kinds)('%s is rejected by run_query before any call', async ([_kind, make], { layer, sandbox }) => {
  for (const isStream of [false, true]) {
    const response = await fetch(`${layer.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: 'Bearer any',
      },
      body: call(make(7, isStream)),
    });
    const text = await response.text();
    const { error, errors, result } = JSON.parse(text);

    expect(response.status).toBeLessThan(500);
    expect(Boolean(error ?? errors ?? result?.isError), text.slice(0, 500)).toBe(true);
    expect(text).not.toContain('INTERNAL_SERVER_ERROR');
    expect(text.length).toBeLessThan(20_000);
  }
  expect(await sandbox.calls()).toEqual([]);
});

test('all kinds of the bench are sent', () => {
  expect(kinds).toHaveLength(41);
});
