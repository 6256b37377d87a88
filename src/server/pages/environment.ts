/** An upstream as the console shows it to everybody who can open the page. */
export interface EnvironmentPart {
  readonly areas: string;
  /** Host and path. */
  readonly address: string;
}

export interface EnvironmentUrls {
  /** Null without a URL; `sandbox` for the sandbox of this process. */
  readonly business: string | null;
  readonly management: string | null;
}

/** Describes the upstreams by host and path, without the credentials and queries of their URLs. */
export function describeEnvironment({ business, management }: EnvironmentUrls): readonly EnvironmentPart[] {
  if (business === 'sandbox' && management === 'sandbox')
    return [{ areas: 'Environment', address: 'Sandbox' }];
  return [
    { areas: 'Instances and health', url: management },
    { areas: 'Business records', url: business },
  ].flatMap(({ areas, url }) => (url === null ? [] : [{ areas, address: formatAddress(url) }]));
}

function formatAddress(url: string): string {
  if (url === 'sandbox') return 'Sandbox';
  return url
    .replace(/^\w+:\/\//, '')
    .replace(/^[^/]*@/, '')
    .replace(/[?#].*$/, '')
    .replace(/\/$/, '');
}
