import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service, ServiceAccount } from 'kubernetes-models/v1';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { settingsSchema } from '../../src/config/settings.ts';
import { startProcess } from '../support/process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const settings = new Set(Object.keys(settingsSchema.shape).flatMap((name) => [name, `${name}_FILE`]));

const dockerfile = DockerfileParser.parse(textOf('Dockerfile'));
const lastStage = dockerfile
  .getInstructions()
  .slice(dockerfile.getInstructions().findLastIndex((instruction) => instruction.getKeyword() === 'FROM'));
const argumentsOf = (keyword: string) =>
  lastStage
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getArgumentsContent() ?? '');

test('the Dockerfile has no fault, and ends as an unprivileged user', () => {
  expect(validate(textOf('Dockerfile'))).toEqual([]);
  expect(argumentsOf('USER')).toEqual(['node']);
  expect(argumentsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
  expect(argumentsOf('EXPOSE')).toEqual(['4000 4001']);
});

test('what the Dockerfile copies exists and passes .dockerignore', () => {
  const passed = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));

  const copied = dockerfile
    .getCOPYs()
    .filter((copy) => copy.getFromFlag() === null)
    .flatMap((copy) => copy.getArguments().slice(0, -1).map(String));

  expect(new Set(passed)).toEqual(new Set(copied));
  for (const path of copied) expect(readdirSync(root)).toContain(path);
});

// The packages a production install leaves, by links: each finds others where the link is, as if it were copied.
function installProduction(folder: string): void {
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { dev?: true }>;
  };
  for (const [path, { dev }] of Object.entries(packages)) {
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || dev) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(root, path), join(folder, path));
  }
}

test('what the image holds is enough to serve, its health check passes meanwhile, and the sandbox is not in it', async ({
  onTestFinished,
}) => {
  const image = mkdtempSync(join(tmpdir(), 'tributary-image-'));
  onTestFinished(() => rmSync(image, { recursive: true }));
  for (const [, from = '', to = ''] of argumentsOf('COPY')
    .join('\n')
    .matchAll(/(\S+) (\S+)$/gm)) {
    if (from.endsWith('node_modules')) installProduction(image);
    else
      cpSync(join(root, from.replace('/tributary/', '')), join(image, to, to === './' ? from : ''), {
        recursive: true,
      });
  }
  const commandOf = (keyword: string) =>
    JSON.parse(/\[.*\]$/.exec(argumentsOf(keyword)[0] ?? '')?.[0] ?? '[]') as string[];
  const run = ([node, ...args]: readonly string[], given: Readonly<Record<string, string>>) => {
    expect(node).toBe('node');
    return startProcess(
      process.execPath,
      ['--preserve-symlinks', '--preserve-symlinks-main', ...args],
      given,
      image,
    );
  };
  const running = run([...commandOf('ENTRYPOINT'), ...commandOf('CMD')], {
    PORT: '0',
    EXPLORER: 'on',
    BUSINESS_URL: 'http://127.0.0.1:9',
  });
  const printed = await running.printed(/readyz/);
  const graph = /at (\S+)\/graphql/.exec(printed)?.[1];
  const ADMIN_PORT = /:(\d+)\/readyz/.exec(printed)?.[1] ?? '';

  const explorer = await fetch(`${graph}/`);
  const answer = await fetch(`${graph}/graphql?query={__typename}`, {
    headers: { 'apollo-require-preflight': '1' },
  });
  const health = await run(commandOf('HEALTHCHECK'), { ADMIN_PORT }).ended;
  const ended = await running.stop();
  const sandboxes = await Promise.all(
    ['dev', 'sandbox'].map((command) => run([...commandOf('ENTRYPOINT'), command], {}).ended),
  );

  expect(await explorer.text()).toContain('<title>Altair</title>');
  expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
  expect(health).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(image)).not.toContain('sandbox');
  for (const { code, stderr } of sandboxes) {
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The sandbox is not installed: /);
  }
});

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly deploy?: { readonly replicas: number };
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
  readonly image: string;
  readonly secrets: readonly string[];
}

const endsWithin = (given: Readonly<Record<string, string>>) => {
  const { DRAIN_DELAY_MS, DRAIN_TIMEOUT_MS } = readConfig(given, () => '');
  return (DRAIN_DELAY_MS + DRAIN_TIMEOUT_MS) / 1000;
};

const { services, secrets } = parse(textOf('compose.yaml')) as {
  services: { tributary: ComposeService; balancer: ComposeService; redis: ComposeService & RedisService };
  secrets: Record<string, Record<string, string>>;
};

test('compose.yaml runs two replicas that meet at Redis, with settings that exist and time to end', () => {
  const { environment: given = {}, deploy, depends_on = {}, stop_grace_period } = services.tributary;
  const { DRAIN_DELAY_MS = '' } = given;

  expect(Object.keys(given).filter((name) => !settings.has(name))).toEqual([]);
  expect(deploy?.replicas).toBe(2);
  expect(Object.keys(depends_on)).toEqual(['redis']);
  expect(Number.parseInt(stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(
    endsWithin({ DRAIN_DELAY_MS }) + 5,
  );
  for (const service of Object.values(services))
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
});

test('the balancer of compose.yaml is the one port, and gives no request to a replica that drains', () => {
  const text = textOf('deploy/compose/haproxy.cfg');
  const { DRAIN_DELAY_MS, MAX_REQUESTS_PER_CALLER } = services.tributary.environment ?? {};
  const { PORT, ADMIN_PORT, MAX_REQUESTS } = readConfig({}, () => '');
  const [, seconds, times] = /inter (\d+)s fall (\d+)/.exec(text) ?? [];

  expect(services.tributary.ports).toBeUndefined();
  expect(services.balancer.ports).toEqual([`127.0.0.1:${PORT}:4000`]);
  expect(text).toContain('bind :4000');
  expect(text).toContain(`server-template replica 10 tributary:${PORT}`);
  expect(text).toContain(`check port ${ADMIN_PORT}`);
  expect(text).toContain('option httpchk GET /readyz');
  expect(Number(DRAIN_DELAY_MS)).toBeGreaterThan(Number(seconds) * Number(times) * 1_000);
  expect(MAX_REQUESTS_PER_CALLER).toBe(String(MAX_REQUESTS));
});

// What is in the environment of Compose is copied into a container, which a read-only file system refuses.
test('secrets of compose.yaml are files, which each service mounts where it reads them', () => {
  const { environment: given = {} } = services.tributary;
  const read = Object.entries(given).filter(([name]) => name.endsWith('_FILE'));

  for (const [name, secret] of Object.entries(secrets)) expect(secret).toEqual({ file: `secrets/${name}` });
  expect(read.map(([, path]) => path)).toEqual(
    services.tributary.secrets.map((name) => `/run/secrets/${name}`),
  );
  expect(Object.keys(secrets)).toEqual([...services.tributary.secrets, ...services.redis.secrets]);
  expect(textOf('.gitignore')).toMatch(/^secrets\/$/m);
});

test('every image can be named by its digest, without a change of a file', () => {
  const named = Object.values(services).map(({ image }) => image);
  const from = dockerfile.getFROMs().map((instruction) => instruction.getImage());

  expect(named).toEqual([
    'tributary',
    expect.stringMatching(/^\$\{HAPROXY_IMAGE:-haproxy:/),
    expect.stringMatching(/^\$\{REDIS_IMAGE:-redis:/),
  ]);
  expect(from).toEqual([`\${NODE_IMAGE}`, `\${NODE_IMAGE}`]);
  expect(services.tributary).toMatchObject({
    build: { args: { NODE_IMAGE: `\${NODE_IMAGE:-${dockerfile.getARGs()[0]?.getProperty()?.getValue()}}` } },
  });
  expect(textOf('Dockerfile')).not.toMatch(/^# *syntax *=/m);
});

const models = {
  Deployment,
  HorizontalPodAutoscaler,
  NetworkPolicy,
  PodDisruptionBudget,
  ConfigMap,
  Service,
  ServiceAccount,
};
type Kind = keyof typeof models;

const folder = 'deploy/kubernetes/';
const manifestOf = (file: string) =>
  parse(textOf(folder + file)) as { kind: Kind; metadata: { name: string } };
const { resources } = parse(textOf(`${folder}kustomization.yaml`)) as { resources: readonly string[] };

test.for(resources)('the manifest %s is what Kubernetes takes', (file) => {
  const manifest = manifestOf(file);

  const model = new models[manifest.kind](manifest as never);

  expect(() => model.validate()).not.toThrow();
  expect(manifest.metadata.name).toBe(file.startsWith('redis-') ? 'redis' : 'tributary');
});

test('the kustomization names every manifest', () => {
  const files = readdirSync(join(root, folder)).filter((file) => file !== 'kustomization.yaml');

  expect([...resources].sort()).toEqual(files.sort());
});

test('the pods run unprivileged, are probed at what the admin port serves, and have time to end', () => {
  const deployment = manifestOf('deployment.yaml') as unknown as { spec: { template: { spec: PodSpec } } };
  const { data } = manifestOf('settings.yaml') as unknown as { data: Record<string, string> };
  const { containers, terminationGracePeriodSeconds } = deployment.spec.template.spec;
  const [container] = containers;
  const defaults = readConfig({}, () => '');

  expect(Object.keys(data).filter((name) => !settings.has(name))).toEqual([]);
  expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(endsWithin(data) + 5);
  expect(container?.ports).toEqual([
    { name: 'graph', containerPort: defaults.PORT },
    { name: 'admin', containerPort: defaults.ADMIN_PORT },
  ]);
  expect(container?.startupProbe.httpGet).toEqual({ path: '/livez', port: 'admin' });
  expect(container?.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'admin' });
  expect(container?.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'admin' });
  expect(container?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

interface Rule {
  readonly to: readonly {
    readonly namespaceSelector?: object;
    readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
  }[];
  readonly ports: readonly { readonly port: number; readonly protocol?: string }[];
}

const policyOf = (file: string) =>
  (
    manifestOf(file) as unknown as {
      spec: { policyTypes: string[]; podSelector: object; ingress: object[]; egress: Rule[] };
    }
  ).spec;
const podsNamed = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } });

test('the pods reach DNS, Redis, a collector and HTTPS at public addresses, and nothing else', () => {
  const { policyTypes, egress } = policyOf('network-policy.yaml');
  const privately = ['10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];

  expect(policyTypes).toEqual(['Ingress', 'Egress']);
  expect(egress.map(({ ports }) => ports.map(({ port }) => port))).toEqual([[53, 53], [6379], [4318], [443]]);
  for (const { to } of egress) expect(to).not.toEqual([]);
  expect(egress[1]?.to).toEqual([{ podSelector: podsNamed('redis') }]);
  const [four, six] = egress[3]?.to ?? [];
  expect(four?.ipBlock?.except).toEqual(expect.arrayContaining(privately));
  expect(six?.ipBlock?.except).toEqual(expect.arrayContaining(['::1/128', 'fc00::/7', 'fe80::/10']));
});

test('the pods of Redis are reached by the replicas alone, and reach nobody', () => {
  expect(policyOf('redis-network-policy.yaml')).toEqual({
    podSelector: podsNamed('redis'),
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [{ podSelector: podsNamed('tributary') }], ports: [{ port: 'redis' }] }],
    egress: [],
  });
});

// Each selects its own pods: a label in all selectors would send requests for the graph to Redis.
test('services and deployments select the pods of their own name', () => {
  for (const name of ['tributary', 'redis']) {
    const prefix = name === 'redis' ? 'redis-' : '';
    const service = manifestOf(`${prefix}service.yaml`) as unknown as { spec: { selector: object } };
    const deployment = manifestOf(`${prefix}deployment.yaml`) as unknown as {
      spec: { selector: object; template: { metadata: { labels: object } } };
    };

    expect(service.spec.selector).toEqual(podsNamed(name).matchLabels);
    expect(deployment.spec.selector).toEqual(podsNamed(name));
    expect(deployment.spec.template.metadata.labels).toEqual(podsNamed(name).matchLabels);
  }
  expect(textOf(`${folder}kustomization.yaml`)).not.toContain('includeSelectors');
});

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface RedisService {
  readonly command: readonly string[];
  readonly healthcheck: { readonly test: readonly [string, string] };
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly {
    readonly ports: readonly object[];
    readonly startupProbe: Probe;
    readonly livenessProbe: Probe;
    readonly readinessProbe: Probe;
    readonly securityContext: object;
  }[];
}
