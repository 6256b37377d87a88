import { test as base, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { watchContacts } from '../../support/contacts.ts';
import { fixture } from '../../support/fixture.ts';
import { startTestLayer } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';
import { startDecoy, tricks } from '../../support/upstreams/decoy.ts';

const customers = `/api/v2.0/companies(${sandboxCompanyId})/customers`;
const events = '/providers/Vendor.Health/events';
const virtualInstances = '/subscriptions/s/resourceGroups/g/providers/Vendor.Workloads/virtualInstances';

/** A layer before an upstream whose lists go on where a test says. */
const test = base.extend(
  'scene',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    const scene: { next: unknown } = { next: '' };
    const contacts = watchContacts();
    const decoy = await startDecoy();
    const stub = await startStub(({ target }) => {
      const isFirst = !target.includes('more=1');
      const rows = [{ id: `00000000-0000-4000-8000-00000000000${isFirst ? 1 : 2}`, name: target.slice(-9) }];
      const next = isFirst && { '@odata.nextLink': scene.next, nextLink: scene.next };
      return { body: { value: rows, ...next } };
    });
    const layer = await startTestLayer(stub.url);
    onCleanup(async () => {
      await layer.stop();
      stub.stop();
      await decoy.stop();
      contacts.stop();
    });
    return Object.assign(scene, { contacts, decoy, stub, layer, host: new URL(stub.url).host });
  }),
);

const lists = [
  ['records', customers, '{ company { customers(first: 2) { nodes { id } pageInfo { endCursor } } } }'],
  [
    'virtual instances',
    virtualInstances,
    '{ virtualInstances(subscriptionId: "s", resourceGroupName: "g", first: 2) { nodes { name } } }',
  ],
  ['health events', events, '{ healthEvents(first: 2) { nodes { id } } }'],
] as const;

test.for(
  lists.flatMap(([of, ...list]) => tricks.map(([what, write]) => [of, what, write, ...list] as const)),
)(
  'a list of %s whose next link names another host, given as %s, continues at the upstream or not at all',
  async ([, , write, path, query], { scene }) => {
    const { contacts, decoy, host, layer, stub } = scene;
    for (const place of [`${path.slice(1)}?more=1`, `x/../${path.slice(1)}?more=1`, `elsewhere?more=1`]) {
      scene.next = write(host, decoy.host, place);
      const asked = stub.requests.length;

      const { errors } = await layer.query(query);

      const targets = stub.requests.slice(asked).map(({ target }) => target.split('?')[0]);
      // Refused at the first page, or read as a page of the same list.
      expect(targets).toEqual(errors ? [path] : [path, path]);
      if (errors) expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
    }

    expect(decoy.connections()).toBe(0);
    // Other tests of the process use servers of this machine.
    expect([...contacts.hosts()].filter((one) => !one.startsWith('127.0.0.1:'))).toEqual([]);
  },
);

test.for(
  lists.flatMap((list) => [7, true, {}, ['x'], { href: 'x' }].map((next) => [list[0], next, list] as const)),
)(
  'a list of %s whose next link is %j is UPSTREAM_BAD_RESPONSE, and not treated as complete',
  async ([, next, [, path, query]], { scene }) => {
    const { layer, stub } = scene;
    scene.next = next;
    const asked = stub.requests.length;

    const { errors } = await layer.query(query);

    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
    expect(stub.requests.slice(asked).map(({ target }) => target.split('?')[0])).toEqual([path]);
  },
);
