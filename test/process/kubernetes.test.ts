import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf } from '../support/deployment/kubernetes-schemas.ts';
import { buildKustomization } from '../support/deployment/kustomization.ts';
import { selectorsOf } from '../support/deployment/promql.ts';
import { startTestLayer } from '../support/layer.ts';
import { startTestSandbox } from '../support/sandbox.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
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
/** What the admin port of a server serves. */
const served = { paths: new Map<string, number>(), metrics: '' };

beforeAll(async () => {
  const sandbox = await startTestSandbox();
  const layer = await startTestLayer(sandbox.url, { ADMIN_PORT: '0' });
  for (const path of ['/livez', '/readyz', '/metrics']) {
    const response = await fetch(layer.adminUrl + path);
    served.paths.set(path, response.status);
    served.metrics = await response.text();
  }
  await layer.stop();
  await sandbox.stop();
});

test.for(applied)('every manifest of %s is what the schema of its kind asks for', (name) => {
  for (const manifest of build(name)) expect(faultsOf(manifest), manifest.metadata.name).toEqual([]);
});

test.for(applied)(
  'the settings of %s exist, are valid, and restart the replicas when they change',
  (name) => {
    const manifests = build(name);
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

test('the pods run unprivileged, and are probed at what the admin port serves', () => {
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
  for (const { httpGet } of probes) expect(served.paths.get(httpGet.path)).toBe(200);
  for (const name of ['tributary', 'redis'])
    expect(podOf(name).containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
});

test('the pods name no user on OpenShift, which assigns one, and are as safe as elsewhere', () => {
  for (const name of ['tributary', 'redis']) {
    const { runAsUser, ...others } = podOf(name, build('overlays/redis')).securityContext;
    expect(runAsUser).toBeGreaterThan(0);
    expect(podOf(name, build('overlays/openshift')).securityContext).toEqual(others);
    expect(others.runAsNonRoot).toBe(true);
  }
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

test('Prometheus reads the metrics of every replica, under the name of job that the alerts ask for', () => {
  const { selector, podMetricsEndpoints, jobLabel } = named('PodMonitor', 'tributary').spec;
  const jobs = [...textOf('deploy/observe/alerts.yaml').matchAll(/job="([^"]*)"/g)].map(([, job]) => job);

  expect(selector).toEqual(podsNamed('tributary'));
  expect(podMetricsEndpoints).toMatchObject([{ port: 'admin', path: '/metrics' }]);
  expect(served.paths.get('/metrics')).toBe(200);
  expect(new Set(jobs)).toEqual(
    new Set([named('Deployment', 'tributary').spec.template.metadata.labels[jobLabel]]),
  );
});

test('the autoscaler counts CPU, and requests in flight up to half of what a replica takes', () => {
  const { scaleTargetRef, minReplicas, metrics } = named('HorizontalPodAutoscaler', 'tributary').spec;
  const [, inFlight] = metrics;
  const { MAX_REQUESTS } = readConfig({}, () => '');
  const [rule, ...others] = parse(textOf('deploy/observe/prometheus-adapter.yaml')).rules;
  const { name } = inFlight.pods.metric;
  const query = rule.metricsQuery
    .replace('<<.GroupBy>>', 'pod')
    .replace('<<.Series>>', name)
    .replace('<<.LabelMatchers>>', 'namespace="default",pod="tributary"');

  expect(allOf('HorizontalPodAutoscaler', build('base'))[0]?.spec.metrics).toEqual([metrics[0]]);
  expect(named('Deployment', scaleTargetRef.name).spec.replicas).toBeUndefined();
  expect(minReplicas).toBeGreaterThanOrEqual(2);
  expect(Number(inFlight.pods.target.averageValue)).toBe(MAX_REQUESTS / 2);
  expect(served.metrics).toMatch(new RegExp(`^# TYPE ${name} gauge$`, 'm'));
  expect(others).toEqual([]);
  expect(selectorsOf(rule.seriesQuery)[0]?.metric).toBe(name);
  expect(selectorsOf(query)).toMatchObject([{ metric: name, by: ['pod'] }]);
});
