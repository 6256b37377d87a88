import type { InstanceAddress } from './instance-address.ts';
import { type Instance, machineName } from './instances.ts';

/** The properties of an instance that depend on its kind, as on the real service. */
export function createProperties(
  instance: Instance,
  address: InstanceAddress,
  status: string,
  health: string,
): Record<string, unknown> {
  const { subscription, group, component } = address;
  const at = `/subscriptions/${subscription}/resourceGroups/${group}/providers`;
  const system = address.virtualInstance.toLowerCase();
  const name = machineName(instance);
  const subnet = `${at}/Vendor.Network/virtualNetworks/${system}-net/subnets/${component}`;
  const loadBalancerDetails = { id: `${at}/Vendor.Compute/loadBalancers/${system}-lb` };
  const machine = {
    virtualMachineId: `${at}/Vendor.Compute/virtualMachines/${name}`,
    storageDetails: [{ id: `${at}/Vendor.Compute/disks/${name}-0` }],
  };
  const kernel = { kernelVersion: '777', kernelPatch: '300' };
  const place = { hostname: `${system}-${name}`, ipAddress: '10.0.0.7' };
  switch (component) {
    case 'applicationInstances':
      return {
        instanceNo: '00',
        subnet: null,
        ...place,
        ...kernel,
        gatewayPort: 3300,
        icmHttpPort: 8000,
        icmHttpsPort: 44300,
        loadBalancerDetails,
        vmDetails: [{ type: 'Active', ...machine }],
        health,
      };
    case 'centralInstances':
      return {
        instanceNo: '01',
        subnet,
        ...kernel,
        loadBalancerDetails,
        messageServerProperties: {
          msPort: 3601,
          internalMsPort: 3901,
          httpPort: 8101,
          httpsPort: 44401,
          ...place,
          health,
        },
        enqueueServerProperties: { port: 3201, ...place, health },
        gatewayServerProperties: { port: 3301, health },
        enqueueReplicationServerProperties: {
          ersVersion: 'EnqueueReplicator2',
          instanceNo: '02',
          ...place,
          ...kernel,
          health,
        },
        vmDetails: [{ type: 'ASCS', ...machine }],
        health,
      };
    case 'databaseInstances':
      return {
        databaseSid: 'HDB',
        databaseType: 'hdb',
        ipAddress: '10.0.0.9',
        subnet,
        loadBalancerDetails,
        vmDetails: [{ ...machine, status }],
      };
  }
}
