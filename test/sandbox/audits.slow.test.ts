import { describe, expect, test } from 'vitest';
import { runAudit } from './audits/audit.ts';
import { audits } from './audits/audits.ts';
import { connect } from './audits/upstream.ts';
import { useSandbox } from './caller.ts';

const token = 'auditor';

describe.each(
  (['document', 'dynamics'] as const).flatMap((dialect) =>
    ['v2.0', 'contoso/app/v1.0'].map((route) => [dialect, route] as const),
  ),
)('audits of a sandbox in the dialect %s at the route %s', (dialect, route) => {
  const sandbox = useSandbox({ dialect });
  const spoken = audits.filter(
    (audit) => audit.dialects.includes(dialect) && (route === 'v2.0' || audit.isOfEveryRoute),
  );

  test.each(spoken.map((audit) => [audit.id, audit.title, audit] as const))(
    '%s %s',
    async (_id, _title, audit) => {
      const upstream = await connect({ url: sandbox.url, route, token, dialect });

      expect(await runAudit(audit, upstream)).toEqual({ kind: 'passed' });
    },
  );

  test('S.audit.1 Every id stands for one rule', () => {
    expect(new Set(spoken.map((audit) => audit.id)).size).toBe(spoken.length);
    expect(spoken.length).toBeGreaterThan(5);
  });
});

const sandbox = useSandbox();

type Spoil = (url: string, init: RequestInit) => [string, RequestInit];

/** What the sandbox is asked in place of what was meant: as if it had not heard a part of it. */
const without =
  (option: string): Spoil =>
  (url, init) => [url.replace(new RegExp(`(?<=[?&])\\${option}=[^&]*&?`), ''), init];
const withHeader =
  (name: string, value: string): Spoil =>
  (url, init) => [url, { ...init, headers: { ...(init.headers as object), [name]: value } }];

/** The ids that fail or are skipped when every request is spoiled. */
async function findings(spoil: Spoil): Promise<string[]> {
  const spoiled = (url: unknown, init: unknown) => fetch(...spoil(String(url), init as RequestInit));
  const upstream = await connect({
    url: sandbox.url,
    token,
    dialect: 'document',
    fetch: spoiled as typeof fetch,
  });
  const found: string[] = [];
  for (const audit of audits) {
    if (!audit.dialects.includes('document')) continue;
    if ((await runAudit(audit, upstream)).kind !== 'passed') found.push(audit.id);
  }
  return found;
}

describe('audits of a server that breaks the rules', () => {
  test.each([
    [
      'filters',
      without('$filter'),
      ['A.filter.2', 'A.filter.3', 'A.filter.6', 'A.operator.1', 'A.operator.3', 'A.expand.1'],
    ],
    ['selects', without('$select'), ['A.select.1']],
    ['pages', withHeader('prefer', ''), ['A.page.1', 'A.batch.4']],
    ['checks tokens', withHeader('authorization', 'Bearer x'), ['A.auth.1']],
    ['checks entity tags', withHeader('if-match', '*'), ['A.update.3', 'A.delete.3']],
  ])('S.audit.2 A server that never %s breaks the rules about it', async (_what, spoil, expected) => {
    const found = await findings(spoil);

    expect(found).toEqual(expect.arrayContaining(expected));
    expect(found.length).toBeLessThan(audits.length / 2);
  });

  test('S.audit.3 A server that returns only empty lists passes no rule', async () => {
    await sandbox.post('/sandbox/faults', { times: 10_000, status: 200, body: { value: [] } });
    const target = { url: sandbox.url, token, company: '11111111-1111-4111-8111-111111111111' };

    for (const dialect of ['document', 'dynamics'] as const) {
      const upstream = await connect({ ...target, dialect });
      for (const audit of audits.filter((one) => one.dialects.includes(dialect)))
        expect((await runAudit(audit, upstream)).kind, audit.id).not.toBe('passed');
    }
  });
});
