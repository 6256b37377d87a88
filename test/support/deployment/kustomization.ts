import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { name: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own
  spec?: any;
  data?: Record<string, string>;
}

interface Generator {
  readonly name: string;
  readonly behavior?: 'merge';
  readonly envs?: readonly string[];
  readonly literals?: readonly string[];
}

interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

interface Kustomization {
  readonly apiVersion: string;
  readonly kind: 'Kustomization' | 'Component';
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly configMapGenerator?: readonly Generator[];
  readonly patches?: readonly {
    readonly target: { readonly kind: string; readonly name?: string };
    readonly patch: string;
  }[];
  readonly labels?: readonly {
    readonly pairs: Readonly<Record<string, string>>;
    readonly includeTemplates: true;
  }[];
  readonly images?: readonly { readonly name: string; readonly newName?: string; readonly newTag?: string }[];
}

/**
 * The manifests that `kubectl kustomize` makes of a folder, for the part of Kustomize that is used here.
 */
export function buildKustomization(folder: string): readonly Manifest[] {
  const manifests: Manifest[] = [];
  accumulate(folder, manifests, new Set());
  for (const manifest of manifests.filter(({ kind }) => kind === 'ConfigMap')) {
    const name = `${manifest.metadata.name}-${hashOf(manifest)}`;
    for (const { envFrom = [] } of manifests.flatMap(containersOf))
      for (const { configMapRef } of envFrom)
        if (configMapRef?.name === manifest.metadata.name) configMapRef.name = name;
    manifest.metadata.name = name;
  }
  return manifests;
}

function accumulate(folder: string, manifests: Manifest[], seen: Set<string>): void {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const given = parse(read('kustomization.yaml')) as Kustomization;

  const append = (manifest: Manifest) => {
    const id = `${manifest.kind} ${manifest.metadata.name}`;
    if (seen.has(id)) throw new Error(`${folder}: ${id} is there twice`);
    seen.add(id);
    manifests.push(manifest);
  };
  for (const resource of given.resources ?? []) {
    const path = join(folder, resource);
    if (statSync(path).isDirectory()) accumulate(path, manifests, seen);
    else for (const document of parseAllDocuments(read(resource))) append(document.toJS());
  }
  for (const component of given.components ?? []) accumulate(join(folder, component), manifests, seen);

  for (const { name, behavior, envs = [], literals = [] } of given.configMapGenerator ?? []) {
    const lines = [...envs.flatMap((file) => read(file).split('\n')), ...literals];
    const data = Object.fromEntries(
      lines
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );
    if (behavior === 'merge') Object.assign(find(manifests, 'ConfigMap', name).data ?? {}, data);
    else append({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
  }
  for (const { target, patch } of given.patches ?? []) {
    const targets = manifests.filter(
      ({ kind, metadata }) => kind === target.kind && (target.name ?? metadata.name) === metadata.name,
    );
    if (targets.length === 0) throw new Error(`there is no ${target.kind} ${target.name}`);
    for (const manifest of targets)
      for (const operation of parse(patch) as Operation[]) apply(manifest, operation);
  }
  for (const { pairs } of given.labels ?? []) for (const manifest of manifests) label(manifest, pairs);
  for (const { name, newName = name, newTag } of given.images ?? [])
    for (const container of manifests.flatMap(containersOf)) {
      const [image, tag] = container.image.split(':');
      if (image === name) container.image = [newName, newTag ?? tag].filter(Boolean).join(':');
    }
}

function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

interface Container {
  image: string;
  readonly envFrom?: readonly { readonly configMapRef?: { name: string } }[];
}

const containersOf = ({ spec }: Manifest): readonly Container[] => spec?.template?.spec.containers ?? [];

function label({ metadata, spec }: Manifest, pairs: Readonly<Record<string, string>>): void {
  metadata.labels = { ...metadata.labels, ...pairs };
  if (spec?.template) spec.template.metadata.labels = { ...spec.template.metadata.labels, ...pairs };
}

/** An operation of JSON Patch (RFC 6902). */
function apply(manifest: Manifest, { op, path, value }: Operation): void {
  const keys = path.split('/').slice(1);
  const last = keys.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: whatever is at the path
  let at: any = manifest;
  for (const key of keys) at = at[key];
  if (typeof at !== 'object' || (op !== 'add' && !(last in at)))
    throw new Error(`there is no ${path} in ${manifest.kind} ${manifest.metadata.name}`);
  if (op === 'remove') delete at[last];
  else if (Array.isArray(at) && last === '-') at.push(value);
  else at[last] = value;
}

const hashOf = ({ data }: Manifest): string =>
  createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 10);
