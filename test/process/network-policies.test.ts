import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { buildKustomization } from '../support/deployment/kustomization.ts';

interface IpBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

interface Peer {
  readonly namespaceSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly ipBlock?: IpBlock;
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports: readonly { readonly port: number | string; readonly protocol?: string }[];
}

interface Policy {
  readonly podSelector: object;
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

const podsNamed = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } });
const namespace = (name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
});

const kustomizations = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));

const policiesOf = (overlay: string) =>
  buildKustomization(`${kustomizations}${overlay}`)
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => spec as Policy);

/** What the policies of an overlay allow the pods of one name, as each policy adds to the others. */
function allowed(overlay: string, name: string) {
  const policies = policiesOf(overlay).filter(
    ({ podSelector }) => JSON.stringify(podSelector) === JSON.stringify(podsNamed(name)),
  );
  return {
    isolated: [...new Set(policies.flatMap(({ policyTypes }) => policyTypes))].sort(),
    ingress: policies.flatMap(({ ingress = [] }) => ingress),
    egress: policies.flatMap(({ egress = [] }) => egress),
  };
}

const portsOf = (rules: readonly Rule[]) => rules.map(({ ports }) => ports.map(({ port }) => port));

test('without components, the replicas reach DNS and HTTPS at public addresses, and nothing else', () => {
  const { isolated, ingress, egress } = allowed('base', 'tributary');
  const privately = ['10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];

  expect(isolated).toEqual(['Egress', 'Ingress']);
  expect(ingress).toEqual([{ ports: [{ port: 'graph', protocol: 'TCP' }] }]);
  expect(portsOf(egress)).toEqual([[53, 53], [5353, 5353], [443]]);
  expect(egress[0]?.to).toEqual([
    { ...namespace('kube-system'), podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } },
    { ipBlock: { cidr: '169.254.20.10/32' } },
  ]);
  expect(egress[1]?.to).toEqual([
    {
      ...namespace('openshift-dns'),
      podSelector: { matchLabels: { 'dns.operator.openshift.io/daemonset-dns': 'default' } },
    },
  ]);
  const [four, six, ...others] = egress[2]?.to ?? [];
  expect(others).toEqual([]);
  expect(four?.ipBlock?.except).toEqual(expect.arrayContaining(privately));
  expect(six?.ipBlock?.except).toEqual(expect.arrayContaining(['::1/128', 'fc00::/7', 'fe80::/10']));
});

test('with Redis, the replicas also reach Redis, whose pods are reached by them alone and reach nobody', () => {
  const [dns, openshiftDns, https, redis, ...others] = allowed('overlays/redis', 'tributary').egress;

  expect([dns, openshiftDns, https]).toEqual(allowed('base', 'tributary').egress);
  expect(redis).toEqual({
    to: [{ podSelector: podsNamed('redis') }],
    ports: [{ port: 6379, protocol: 'TCP' }],
  });
  expect(others).toEqual([]);
  expect(allowed('overlays/redis', 'redis')).toEqual({
    isolated: ['Egress', 'Ingress'],
    ingress: [
      { from: [{ podSelector: podsNamed('tributary') }], ports: [{ port: 'redis', protocol: 'TCP' }] },
    ],
    egress: [],
  });
});

test('with monitoring, its namespace reaches the admin port, and is sent spans', () => {
  const redis = allowed('overlays/redis', 'tributary');
  const { ingress, egress } = allowed('overlays/monitoring', 'tributary');

  expect(ingress).toEqual([
    ...redis.ingress,
    { from: [namespace('monitoring')], ports: [{ port: 'admin', protocol: 'TCP' }] },
  ]);
  expect(egress).toEqual([
    ...redis.egress,
    { to: [namespace('monitoring')], ports: [{ port: 4318, protocol: 'TCP' }] },
  ]);
});
