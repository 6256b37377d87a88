import { pino } from 'pino';
import { expect } from 'vitest';
import { startTributary } from '../../../src/app/compose.ts';
import { readTestConfig } from '../../support/constants.ts';
import { test } from '../../support/layer.ts';

test('no sensitive text appears in a log, a cursor, an error or the response of another caller', async ({
  sandbox,
}) => {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const settings = {
    PORT: '0',
    ADMIN_PORT: 'off',
    MANAGEMENT_URL: sandbox.url,
    LOG_LEVEL: 'debug',
    UPSTREAM_ATTEMPTS: '1',
  };
  const layer = await startTributary(
    readTestConfig(settings, () => ''),
    null,
    log,
  );
  const secrets = ['Access keys were used', 'A party without authorization', '198.51.100.7'];
  const query = `{
    healthEvents(since: "2000-01-01T00:00:00Z", first: 1000, orderBy: PRIORITY_ASC) {
      edges { cursor node { summary description impact { impactedRegions { updates { summary } } } } }
    }
    healthEvent(trackingId: "SA_5-XYZ") { summary }
  }`;
  const ask = async (token: string) => {
    const response = await fetch(`${layer.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'tributary-explain': '1',
      },
      body: JSON.stringify({ query }),
    });
    return response.text();
  };

  const [full, limited] = await Promise.all([ask('tester'), ask('limited-1')]);
  // An answer that is none of JSON is told of by a message that could quote it.
  await sandbox.fault({ path: 'SA_5-XYZ/fetchEventDetails', cutAt: 900 });
  await sandbox.fault({ path: 'SA_5-XYZ/fetchEventDetails', status: 500, body: { code: secrets[0] } });
  const broken = [await ask('tester'), await ask('tester')];
  await layer.stop();

  for (const secret of secrets) {
    expect(full).toContain(secret);
    expect(limited).not.toContain(secret);
    expect(lines.join()).not.toContain(secret);
    expect(JSON.stringify(JSON.parse(broken[0] as string).errors)).not.toContain(secret);
  }
  expect(lines.length).toBeGreaterThan(0);
  const { data } = JSON.parse(full);
  const cursors = data.healthEvents.edges.map(({ cursor }: { cursor: string }) =>
    Buffer.from(cursor.split('.')[0] as string, 'base64url').toString(),
  );
  for (const cursor of cursors) expect(cursor).toMatch(/^\[\d+,"[^"]{1,20}"\]$/);
});
