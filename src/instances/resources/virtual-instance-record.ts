import type { EnumMapping } from '../../graph/enum-mapping.ts';
import { isJsonObject, stringOrNull } from '../../runtime/json.ts';
import type { VirtualInstanceAddress } from '../instance-address.ts';
import { parseEnumField, parseHealth, parseResourceFields, toObject } from './resource-fields.ts';

const environment = { names: { Prod: 'PROD', NonProd: 'NON_PROD' } } as const satisfies EnumMapping;
const product = { names: { ECC: 'ECC', S4HANA: 'S4HANA', Other: 'OTHER' } } as const satisfies EnumMapping;
const state = {
  names: {
    InfrastructureDeploymentPending: 'INFRASTRUCTURE_DEPLOYMENT_PENDING',
    InfrastructureDeploymentInProgress: 'INFRASTRUCTURE_DEPLOYMENT_IN_PROGRESS',
    InfrastructureDeploymentFailed: 'INFRASTRUCTURE_DEPLOYMENT_FAILED',
    SoftwareInstallationPending: 'SOFTWARE_INSTALLATION_PENDING',
    SoftwareInstallationInProgress: 'SOFTWARE_INSTALLATION_IN_PROGRESS',
    SoftwareInstallationFailed: 'SOFTWARE_INSTALLATION_FAILED',
    SoftwareDetectionInProgress: 'SOFTWARE_DETECTION_IN_PROGRESS',
    SoftwareDetectionFailed: 'SOFTWARE_DETECTION_FAILED',
    DiscoveryPending: 'DISCOVERY_PENDING',
    DiscoveryInProgress: 'DISCOVERY_IN_PROGRESS',
    DiscoveryFailed: 'DISCOVERY_FAILED',
    RegistrationComplete: 'REGISTRATION_COMPLETE',
    ACSSInstallationBlocked: 'ACSS_INSTALLATION_BLOCKED',
  },
} as const satisfies EnumMapping;

export type VirtualInstanceRecord = NonNullable<ReturnType<typeof parseVirtualInstance>>;

/** Parses a virtual instance; null for a body that is none. */
export function parseVirtualInstance(address: VirtualInstanceAddress, body: unknown) {
  if (!isJsonObject(body)) return null;
  const properties = toObject(body.properties);
  return {
    ...address,
    ...parseResourceFields(body),
    ...parseHealth(properties),
    ...parseEnumField('environment', environment, properties.environment),
    ...parseEnumField('product', product, properties.sapProduct),
    ...parseEnumField('state', state, properties.state),
    managedResourceGroupName: stringOrNull(toObject(properties.managedResourceGroupConfiguration).name),
  };
}
