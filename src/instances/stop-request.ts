import { invalidInput, type UserError } from '../graph/user-errors.ts';
import { segmentFault } from '../upstream/path-segment.ts';

export interface StopRequest {
  readonly subscriptionId: string;
  readonly resourceGroupName: string;
  readonly virtualInstanceName: string;
  readonly applicationInstanceName: string;
  readonly softStopTimeoutSeconds: number;
}

interface Place {
  readonly namespace: string;
  readonly segment: string;
  readonly apiVersion: string;
}

/** Path and query of the stop (document, endpoints, B). Names must have passed `checkStop`. */
export function stopPath({ namespace, segment, apiVersion }: Place, request: StopRequest): string {
  const names = [
    ['subscriptions', request.subscriptionId],
    ['resourceGroups', request.resourceGroupName],
    ['providers', namespace],
    [segment, request.virtualInstanceName],
    ['applicationInstances', request.applicationInstanceName],
  ];
  const path = names.map(([kind, name]) => `/${kind}/${encodeURIComponent(name as string)}`).join('');
  return `${path}/stop?api-version=${encodeURIComponent(apiVersion)}`;
}

const maxResourceGroupLength = 90;

/** What is wrong with a stop before it is sent; empty when nothing is (document, endpoints and limits, B). */
export function checkStop(request: StopRequest): UserError[] {
  const faults: UserError[] = [];
  const names = [
    'subscriptionId',
    'resourceGroupName',
    'virtualInstanceName',
    'applicationInstanceName',
  ] as const;
  for (const name of names) {
    const fault = segmentFault(request[name]);
    if (fault) faults.push(invalidInput(`\`${name}\` ${fault}`, name));
  }
  if (request.resourceGroupName.length > maxResourceGroupLength) {
    faults.push(
      invalidInput(
        `\`resourceGroupName\` has more than ${maxResourceGroupLength} characters.`,
        'resourceGroupName',
      ),
    );
  }
  if (request.softStopTimeoutSeconds < 0) {
    faults.push(
      invalidInput('`softStopTimeoutSeconds` must be 0 or more; 0 is a hard stop.', 'softStopTimeoutSeconds'),
    );
  }
  return faults;
}
