import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Selector, selectorsOf } from '../../support/deployment/promql.ts';
import { startTestLayer } from '../../support/layer.ts';
import type { MetricsPage } from '../../support/metrics.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const rules = parse(textOf('deploy/observe/alerts.yaml')).groups.flatMap(
  ({ rules }: { rules: readonly Rule[] }) => rules,
) as readonly Rule[];
const { panels } = JSON.parse(textOf('deploy/observe/dashboard.json')) as { panels: readonly Panel[] };
const targets = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));
const expressionOf = ({ expr }: { readonly expr: string }) => expr.replaceAll('$__rate_interval', '5m');

// What Prometheus itself says of whom it asks.
const ofPrometheus = ['job', 'instance'];
const codes: readonly string[] = textOf('src/errors.ts').match(/[A-Z]+_[A-Z_]+/g) ?? [];

let page: MetricsPage;

beforeAll(async () => {
  const sandbox = await startTestSandbox();
  const layer = await startTestLayer(sandbox.url, {
    ADMIN_PORT: '0',
    UPSTREAM_BREAKER_FAILURES: '20',
    UPSTREAM_QUOTA: JSON.stringify({ document: { calls: 6000, seconds: 300 } }),
  });
  const lists = ['customers', 'items', 'employees', 'salesQuotes', 'currencies'];
  await sandbox.fault({ path: 'employees', part: true, status: 403, times: 1 });
  await layer.query('{ company { salesOrders(first: 2) { nodes { billToCustomer { displayName } } } } }');
  await layer.query(`{ company { ${lists.map((list) => `${list}(first: 1) { nodes { id } }`).join(' ')} } }`);
  await layer.query('{ company { items(first: 1) { nodes { id } } } }');
  page = await layer.metrics();
  await layer.stop();
  await sandbox.stop();
});

/** The metric that a name, of one of a histogram's lines perhaps, belongs to. */
const metricOf = (name: string) => {
  const whole = name.replace(/_(bucket|sum|count)$/, '');
  return page.types.get(whole) === 'histogram' ? whole : name;
};
const labelsOf = (metric: string) =>
  new Set(page.samples.filter(({ name }) => name === metric).flatMap(({ labels }) => Object.keys(labels)));
const valuesOf = (metric: string, label: string) =>
  page.samples.filter(({ name }) => name === metric).map(({ labels }) => labels[label]);

function expectExposed({ metric, matchers, by }: Selector): void {
  if (metric === 'up') return;
  expect(page.types.has(metricOf(metric)), metric).toBe(true);
  const labels = labelsOf(metric);
  for (const label of by.filter((each) => !ofPrometheus.includes(each)))
    expect(labels, metric).toContain(label);
  for (const { label, values } of matchers) {
    expect(labels, metric).toContain(label);
    for (const value of values) expect([...valuesOf(metric, label), ...codes], label).toContain(value);
  }
}

test.each(rules)('the alert $alert queries existing metrics, and names only labels that exist', (rule) => {
  const selectors = selectorsOf(expressionOf(rule));
  const known = [...ofPrometheus, ...selectors.flatMap(({ by }) => by)];

  expect(selectors.length).toBeGreaterThan(0);
  for (const selector of selectors) expectExposed(selector);
  for (const [, label] of rule.annotations.summary.matchAll(/\$labels\.(\w+)/g))
    expect(known).toContain(label);
});

test('every alert links to its heading in docs/alerts.md, and every heading has an alert', () => {
  const headings = [...textOf('docs/alerts.md').matchAll(/^## (\w+)$/gm)].map(([, heading]) => heading);

  expect(headings).toEqual(rules.map(({ alert }) => alert));
  expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
    rules.map(({ alert }) => `docs/alerts.md#${alert.toLowerCase()}`),
  );
});

test.each(targets)('the dashboard, "$title", queries existing metrics: $expr', (target) => {
  const selectors = selectorsOf(expressionOf(target));
  const by = [...ofPrometheus, ...selectors.flatMap((selector) => selector.by)];

  expect(selectors.length).toBeGreaterThan(0);
  for (const selector of selectors) expectExposed(selector);
  for (const [, label] of target.legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(by).toContain(label);
});

test('the dashboard shows every metric of Tributary, and no panel twice', () => {
  const shown = new Set(
    targets.flatMap((target) => selectorsOf(expressionOf(target)).map(({ metric }) => metricOf(metric))),
  );

  for (const name of page.types.keys()) if (name.startsWith('tributary_')) expect(shown).toContain(name);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

test('docs/observability.md lists every metric of Tributary with its labels and meaning, and no other', () => {
  const rows = [...textOf('docs/observability.md').matchAll(/^\| `(tributary_\w+)` \| (.*?) \| (.*) \|$/gm)];

  const listed = rows.map(([, name, labels, meaning]) => [name, labels, meaning]);
  const told = [...page.helps]
    .filter(([name]) => name.startsWith('tributary_'))
    .map(([name, help]) => {
      const labels = [...labelsOf(page.types.get(name) === 'histogram' ? `${name}_count` : name)];
      return [name, labels.map((label) => `\`${label}\``).join(' ') || '–', help];
    });
  expect(listed).toEqual(told);
});
