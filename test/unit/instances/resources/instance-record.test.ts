import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseInstance } from '../../../../src/instances/resources/resource-records.ts';

const address = {
  subscriptionId: 's',
  resourceGroupName: 'g',
  virtualInstanceName: 'v',
  applicationInstanceName: 'a',
};
const withProperties = (properties: unknown) => parseInstance(address, { properties });

describe('an instance', () => {
  test('has the requested address, whatever the upstream returns', () => {
    const record = parseInstance(address, { id: '/other', name: 'A', subscriptionId: 'other' });

    expect(record).toMatchObject({ ...address, resourceId: '/other', name: 'A' });
  });

  test.each([[null], ['text'], [[{}]]])('is not %j', (body) => {
    expect(parseInstance(address, body)).toBeNull();
  });

  test('of an empty body has null everywhere, and empty lists', () => {
    const { virtualMachines, ...record } = { ...parseInstance(address, {}) };

    expect(virtualMachines).toEqual([]);
    expect(Object.entries(record).filter(([, value]) => value !== null)).toEqual(Object.entries(address));
  });

  test.each([[null], [''], [7], [{}]])('has no status where the upstream has %j', (word) => {
    expect(withProperties({ status: word, health: word })).toMatchObject({ status: null, health: null });
  });

  test('has the ports that are a number of 32 bits', () => {
    const properties = { gatewayPort: 3300, icmHttpPort: '3300', icmHttpsPort: 2 ** 31 };

    expect(withProperties(properties)).toMatchObject({
      gatewayPort: 3300,
      icmHttpPort: null,
      icmHttpsPort: null,
    });
  });

  test('has its machines with their storage, and leaves out other entries', () => {
    const record = withProperties({
      vmDetails: [
        { type: 'Standby', virtualMachineId: 'm', storageDetails: [{ id: 'd' }, { id: 7 }, 'd', null] },
        'machine',
        { type: 'Odd', storageDetails: 'd' },
      ],
    });

    expect(record?.virtualMachines).toEqual([
      { type: 'Standby', virtualMachineId: 'm', storageIds: ['d'] },
      { type: 'Odd', virtualMachineId: null, storageIds: [] },
    ]);
  });

  test('is read from any JSON without failing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (properties, systemData, tags) => {
        expect(parseInstance(address, { properties, systemData, tags })).toMatchObject(address);
      }),
    );
  });
});
