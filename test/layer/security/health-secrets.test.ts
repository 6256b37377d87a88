import { expect } from 'vitest';
import { test } from '../../support/layer.ts';

test('no sensitive text appears in a log, a cursor, an error or the response of another caller', async ({
  layer,
  sandbox,
}) => {
  const secrets = ['Access keys were used', 'A party without authorization', '198.51.100.7'];
  const query = `{
    healthEvents(since: "2000-01-01T00:00:00Z", first: 1000, orderBy: PRIORITY_ASC) {
      edges { cursor node { summary description impact { impactedRegions { updates { summary } } } } }
    }
    healthEvent(trackingId: "SA_5-XYZ") { summary }
  }`;
  const ask = async (token: string) => {
    const { data, errors, extensions } = await layer.query(
      query,
      {},
      { authorization: `Bearer ${token}`, 'tributary-explain': '1' },
    );
    return JSON.stringify({ data, errors, extensions });
  };

  const [full, limited] = await Promise.all([ask('tester'), ask('limited-1')]);
  // An answer that is none of JSON is told of by a message that could quote it.
  await sandbox.fault({ path: 'SA_5-XYZ/fetchEventDetails', cutAt: 900 });
  await sandbox.fault({ path: 'SA_5-XYZ/fetchEventDetails', status: 500, body: { code: secrets[0] } });
  const broken = [await ask('tester'), await ask('tester')];
  const lines = layer.lines();

  for (const secret of secrets) {
    expect(full).toContain(secret);
    expect(limited).not.toContain(secret);
    expect(JSON.stringify(lines)).not.toContain(secret);
    expect(JSON.stringify(JSON.parse(broken[0] as string).errors)).not.toContain(secret);
  }
  expect(lines.length).toBeGreaterThan(0);
  const { data } = JSON.parse(full);
  const cursors = data.healthEvents.edges.map(({ cursor }: { cursor: string }) =>
    Buffer.from(cursor.split('.')[0] as string, 'base64url').toString(),
  );
  for (const cursor of cursors) expect(cursor).toMatch(/^\[\d+,"[^"]{1,20}"\]$/);
});
