import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf } from '../support/deployment/kubernetes-schemas.ts';
import { buildKustomization } from '../support/deployment/kustomization.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'deploy/kubernetes');
const applied = [
  'base',
  ...['redis', 'monitoring', 'openshift', 'example'].map((name) => `overlays/${name}`),
];
const build = (name: string) => buildKustomization(join(folder, name));

const example = build('overlays/example');
const allOf = (kind: string, manifests = example) => manifests.filter((each) => each.kind === kind);
const named = (kind: string, name: string, manifests = example) => {
  const found = allOf(kind, manifests).find(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`There is no ${kind} ${name}.`);
  return found;
};
const podOf = (name: string, manifests = example) => named('Deployment', name, manifests).spec.template.spec;

test.for(applied)(
  'the manifests of %s are what the schemas of their kinds ask for; its settings exist, are valid, and restart the replicas when they change',
  (name) => {
    const manifests = build(name);
    for (const manifest of manifests) expect(faultsOf(manifest), manifest.metadata.name).toEqual([]);
    const [settings] = allOf('ConfigMap', manifests);
    const [container] = podOf('tributary', manifests).containers;
    const fromSecret = [
      'OPERATION_SECRETS',
      ...(container.env ?? []).map((each: { name: string }) => each.name),
    ];
    const secrets = {
      OPERATION_SECRETS: 'a secret of sixteen or more',
      REDIS_URL: 'redis://:word@redis:6379',
    };
    const given = Object.entries(secrets).filter(([each]) => fromSecret.includes(each));

    const config = readConfig({ ...settings?.data, ...Object.fromEntries(given) }, () => '');

    expect(Object.keys(config)).toEqual(expect.arrayContaining(Object.keys(settings?.data ?? {})));
    expect(settings?.metadata.name).toMatch(/^tributary-[0-9a-z]{10}$/);
    expect(container.envFrom).toEqual([
      { configMapRef: { name: settings?.metadata.name } },
      { secretRef: { name: 'tributary' } },
    ]);
    expect(podOf('tributary', manifests).terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      (config.DRAIN_DELAY_MS + config.DRAIN_TIMEOUT_MS) / 1000 + 5,
    );
    expect(new URL(config.BUSINESS_URL ?? '').hostname).toMatch(/\.example$/);
    expect(config.REDIS_URL !== undefined).toBe(name !== 'base');
  },
);

test('the pods run unprivileged, and are probed at the admin port', () => {
  const defaults = readConfig({}, () => '');
  const [container] = podOf('tributary').containers;
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];

  expect(container.ports).toEqual([
    { name: 'graph', containerPort: defaults.PORT },
    { name: 'admin', containerPort: defaults.ADMIN_PORT },
  ]);
  expect(probes.map(({ httpGet }) => httpGet)).toEqual([
    { path: '/livez', port: 'admin' },
    { path: '/livez', port: 'admin' },
    { path: '/readyz', port: 'admin' },
  ]);
  for (const name of ['tributary', 'redis'])
    expect(podOf(name).containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
});

const podsNamed = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } });
const portsOf = (name: string) => podOf(name).containers[0].ports.map((port: { name: string }) => port.name);

// Each selects its own pods: a label in all selectors would send requests for the graph to Redis.
test('whatever selects pods selects those of one name, at ports that they have', () => {
  for (const name of ['tributary', 'redis']) {
    const { selector, template } = named('Deployment', name).spec;
    expect(selector).toEqual(podsNamed(name));
    expect(template.metadata.labels).toEqual({
      ...podsNamed(name).matchLabels,
      'app.kubernetes.io/part-of': 'tributary',
    });
  }
  const services = { tributary: 'graph', 'tributary-admin': 'admin', redis: 'redis' };
  expect(allOf('Service').map(({ metadata }) => metadata.name)).toEqual(
    expect.arrayContaining(Object.keys(services)),
  );
  for (const [name, port] of Object.entries(services)) {
    const pods = name === 'redis' ? 'redis' : 'tributary';
    const { spec } = named('Service', name);
    expect(spec.selector).toEqual(podsNamed(pods).matchLabels);
    expect(spec.ports.map(({ targetPort }: { targetPort: string }) => targetPort)).toEqual([port]);
    expect(portsOf(pods)).toContain(port);
  }
  expect(named('PodDisruptionBudget', 'tributary').spec).toEqual({
    maxUnavailable: 1,
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
    selector: podsNamed('tributary'),
  });
});

// Each policy of a pod adds to the others.
const rulesFor = (name: string, overlay: string, direction: 'ingress' | 'egress') =>
  allOf('NetworkPolicy', build(overlay))
    .filter(({ spec }) => JSON.stringify(spec.podSelector) === JSON.stringify(podsNamed(name)))
    .flatMap(({ spec }) => spec[direction] ?? []);

test('without components, the replicas reach DNS and HTTPS at public addresses, and nothing else', () => {
  const egress = rulesFor('tributary', 'base', 'egress');
  const [four, six, ...others] = egress[2]?.to ?? [];
  const privately = ['10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];

  expect(rulesFor('tributary', 'base', 'ingress')).toEqual([{ ports: [{ port: 'graph', protocol: 'TCP' }] }]);
  expect(egress.map(({ ports }: { ports: { port: number }[] }) => ports.map(({ port }) => port))).toEqual([
    [53, 53],
    [5353, 5353],
    [443],
  ]);
  for (const { to } of egress.slice(0, 2)) expect(to.length).toBeGreaterThan(0);
  expect(others).toEqual([]);
  expect(four?.ipBlock?.except).toEqual(expect.arrayContaining(privately));
  expect(six?.ipBlock?.except).toEqual(expect.arrayContaining(['::1/128', 'fc00::/7', 'fe80::/10']));
});

test('Redis is reached by the replicas alone and reaches nobody', () => {
  expect(rulesFor('redis', 'overlays/redis', 'ingress')).toEqual([
    { from: [{ podSelector: podsNamed('tributary') }], ports: [{ port: 'redis', protocol: 'TCP' }] },
  ]);
  expect(rulesFor('redis', 'overlays/redis', 'egress')).toEqual([]);
});
