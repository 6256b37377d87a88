import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, needed, readRule, skip, writeRule } from './audit.ts';
import { documentedSets } from './documented.ts';
import type { Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

/** The document names no purchases and no metadata: an upstream without them keeps every rule about them. */
async function readIfServed(upstream: Upstream, path: string): Promise<Json[]> {
  const reply = await upstream.send('GET', path);
  if (reply.status === 404) skip(`there is no ${path.split(/[/?]/)[1] ?? path}`);
  hold(reply.status === 200 && Array.isArray(reply.body?.value), answerOf(reply));
  return reply.body.value;
}

/** What describes the service, and purchases. */
export const purchases: readonly Audit[] = [
  readRule(
    'A.metadata.10',
    '$metadata declares the documented sets with every property that their records have',
    async (upstream) => {
      const reply = await upstream.send('GET', '$metadata', { headers: { accept: 'application/xml' } });
      if (reply.status === 404) skip('there is no $metadata');
      hold(/<edmx:Edmx[^>]* Version="4\.0"/.test(reply.text), 'it is not CSDL 4.0');
      for (const set of Object.keys(documentedSets)) {
        const type = new RegExp(`<EntitySet Name="${set}" EntityType="Microsoft\\.NAV\\.(\\w+)"`).exec(
          reply.text,
        );
        hold(type !== null, `there is no entity set ${set}`);
        const entity = new RegExp(`<EntityType Name="${type[1]}".*?</EntityType>`, 's').exec(reply.text)?.[0];
        const [one] = await upstream.sample(set);
        const names = Object.keys(needed(one, `record in ${set}`)).filter((name) => !name.includes('@'));
        const missing = names.find((name) => !entity?.includes(`Property Name="${name}"`));
        hold(missing === undefined, `'${missing}' of ${set} is not declared`);
      }
    },
  ),
  readRule('A.purchase.6', 'Purchase orders expand their vendor and their lines', async (upstream) => {
    const options = { $top: 5, $expand: 'vendor,purchaseOrderLines' };
    const [one, ...others] = await readIfServed(upstream, upstream.path('purchaseOrders', options));
    for (const order of [needed(one, 'purchase order'), ...others]) {
      hold(order.vendor?.id === order.vendorId, `the vendor of ${order.number} is ${order.vendor?.id}`);
      const foreign = order.purchaseOrderLines.find((line: Json) => line.documentId !== order.id);
      hold(foreign === undefined, `a line of ${order.number} is of ${foreign?.documentId}`);
    }
  }),
  writeRule('A.vendor.5', 'A vendor is created with a number, and deleted', async (upstream) => {
    await readIfServed(upstream, upstream.path('vendors', { $top: 1 }));
    const body = { displayName: 'Audited vendor' };
    const made = await upstream.send('POST', upstream.path('vendors'), { body });
    hold(made.status === 201, `${answerOf(made)} to the creation of a vendor`);
    const path = upstream.path('vendors', {}, made.body.id);
    const read = await upstream.send('GET', path);
    const gone = await upstream.send('DELETE', path, { headers: { 'if-match': '*' } });
    hold(
      made.body.number !== '' && read.body?.number === made.body.number,
      `it has the number ${read.body?.number}`,
    );
    hold(gone.status === 204, `${answerOf(gone)} to its deletion`);
  }),
];
