import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, writeRule } from './audit.ts';
import { first } from './shapes.ts';
import type { Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

const json = { 'Content-Type': 'application/json' };

const create = (upstream: Upstream, body: Json): Json => ({
  method: 'POST',
  url: upstream.path('customers'),
  headers: json,
  body,
});

/** Creates two customers with one that cannot be between them, and deletes what came of it. */
async function mixed(
  upstream: Upstream,
  headers: Readonly<Record<string, string>>,
  check: (statuses: string, made: number) => void,
): Promise<void> {
  const before = await upstream.count('customers');
  const bodies = [{ displayName: 'Audited first' }, { city: 'Oslo' }, { displayName: 'Audited third' }];
  const reply = await upstream.batch(
    bodies.map((body) => create(upstream, body)),
    headers,
  );
  hold(Array.isArray(reply.body?.responses), `${answerOf(reply)} to the batch`);
  const responses: Json[] = reply.body.responses;
  const made = (await upstream.count('customers')) - before;
  for (const { status, body } of responses) {
    if (status !== 201) continue;
    const path = upstream.path('customers', {}, body.id);
    await upstream.send('DELETE', path, { headers: { 'if-match': '*' } });
  }
  check(responses.map(({ status }) => status).join(), made);
}

/** Writes within a batch. */
export const batchWrites: readonly Audit[] = [
  writeRule(
    'A.batch.19',
    'A batch of creates ends at the one that is refused; with odata.continue-on-error it goes on',
    async (upstream) => {
      await mixed(upstream, {}, (statuses, made) =>
        hold(statuses === '201,400' && made === 1, `${statuses}, and ${made} created`),
      );
      await mixed(upstream, { prefer: 'odata.continue-on-error' }, (statuses, made) =>
        hold(statuses === '201,400,201' && made === 2, `${statuses}, and ${made} created`),
      );
    },
  ),
  writeRule('A.batch.15', 'With Isolation: snapshot one failure takes back everything', (upstream) =>
    mixed(upstream, { isolation: 'snapshot' }, (statuses, made) =>
      hold(statuses.includes('400') && made === 0, `${statuses}, and ${made} created`),
    ),
  ),
  writeRule('A.batch.22', 'A stale part of a batch is refused as the single request is', async (upstream) => {
    const { id } = await first(upstream, 'customers');
    const url = upstream.path('customers', {}, id);
    const { phoneNumber, '@odata.etag': etag } = await upstream.read(url);
    const change = (value: string, tag: string): Json => ({
      method: 'PATCH',
      url,
      headers: { ...json, 'If-Match': tag },
      body: { phoneNumber: value },
    });
    const reply = await upstream.batch([change('+1 555 0100', etag), change('+1 555 0199', etag)]);
    const [moved, stale] = reply.body?.responses ?? [];
    const read = await upstream.read(url);
    await upstream.send('PATCH', url, { body: { phoneNumber }, headers: { 'if-match': '*' } });
    hold(moved?.status === 200, `${moved?.status} to the part that is in time`);
    const expected = upstream.dialect === 'document' ? [409, 412] : [409];
    hold(expected.includes(stale?.status), `${stale?.status} to the stale part`);
    hold(read.phoneNumber === '+1 555 0100', `'phoneNumber' is ${read.phoneNumber}`);
  }),
];
