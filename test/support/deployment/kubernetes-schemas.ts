import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service, ServiceAccount } from 'kubernetes-models/v1';
import type { Manifest } from './kustomization.ts';

// Generated from the OpenAPI document that Kubernetes publishes, and from the Prometheus Operator's definitions.
const models: Readonly<Record<string, { readonly prototype: { validate(): void } }>> = {
  'apps/v1 Deployment': Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler,
  'monitoring.coreos.com/v1 PodMonitor': PodMonitor,
  'networking.k8s.io/v1 Ingress': Ingress,
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
  'v1 ConfigMap': ConfigMap,
  'v1 Service': Service,
  'v1 ServiceAccount': ServiceAccount,
};

/** What the published schema of its kind has against a manifest, unknown fields included. */
export function faultsOf(manifest: Manifest): readonly string[] {
  const kind = `${manifest.apiVersion} ${manifest.kind}`;
  const model = models[kind];
  if (!model) return [`no schema for ${kind}`];
  // As Kubernetes does when fields are not validated strictly, the generated functions pass over unknown fields. They read
  // all fields that the schema has, so one that is never read is in no schema.
  const unread = new Set<string>();
  try {
    model.prototype.validate.call(recordReads(manifest, '', unread));
  } catch (error) {
    return [String(error)];
  }
  return [...unread].map((path) => `unknown field ${path}`);
}

function recordReads<T extends object>(value: T, path: string, unread: Set<string>): T {
  const wrapped = new Map<PropertyKey, unknown>();
  const pathOf = (key: PropertyKey) => `${path}.${String(key)}`;
  for (const key of Object.keys(value)) unread.add(pathOf(key));
  return new Proxy(value, {
    get(target, key, receiver) {
      const held: unknown = Reflect.get(target, key, receiver);
      if (!Object.hasOwn(target, key)) return held;
      unread.delete(pathOf(key));
      if (typeof held !== 'object' || held === null) return held;
      if (!wrapped.has(key)) wrapped.set(key, recordReads(held, pathOf(key), unread));
      return wrapped.get(key);
    },
  });
}
