import type { FileField, RecordFile } from '../../business/record-files/record-file.ts';
import { AddingError } from '../adding-error.ts';
import type { Service } from '../service.ts';
import { createAsk, findCompany } from './asking.ts';
import type { KeyColumn } from './conditions.ts';
import { applyFindings, type Findings } from './findings.ts';
import { probeColumns } from './probe-columns.ts';

export interface ProbeOptions {
  /** Null for the first company. */
  readonly company: string | null;
  readonly today: string;
  note(text: string): void;
}

interface ProbedSet {
  readonly route: string;
  readonly entitySet: string;
  readonly key: readonly KeyColumn[];
  readonly fields: Readonly<Record<string, FileField>>;
  readonly navigations: readonly string[];
}

/**
 * Asks a service which columns of a record file it selects, filters and sorts by, and what it expands. Only reads. What no
 * response proves stays as it was.
 */
export async function probeReads(
  file: RecordFile,
  service: Service,
  { company, today, note }: ProbeOptions,
): Promise<RecordFile> {
  const before = service.calls;
  const findings: Findings[] = [];
  for (const set of listSets(file)) {
    const owner = company ?? (await findCompany(service, set.route));
    const ask = createAsk(service, { route: set.route, company: owner, entitySet: set.entitySet });
    findings.push(await probeColumns(set, ask, note));
  }
  note(`Probed with ${service.calls - before} calls, which only read.`);
  return applyFindings(file, findings, today);
}

/** The entity sets behind a file's own fields, each with the fields that it has. */
function listSets(file: RecordFile): ProbedSet[] {
  const sources = new Map(Object.entries(file.sources ?? {}));
  const fieldsOf = (source: string | undefined) =>
    Object.fromEntries(Object.entries(file.fields).filter(([, field]) => field.source === source));
  const extra = [...sources].map(([name, { route, entitySet, key = 'id' }]) => ({
    route,
    entitySet,
    key: [{ column: key, kind: 'uuid' as const }],
    fields: fieldsOf(name),
    navigations: [],
  }));
  if (!('type' in file)) return extra;
  const {
    route,
    entitySet,
    key = [{ column: 'id', kind: 'uuid' as const }],
    relations = {},
    rows = {},
  } = file;
  const navigations = [...Object.values(relations), ...Object.values(rows)].flatMap(
    ({ navigation }) => navigation ?? [],
  );
  const own = { route, entitySet, key, fields: fieldsOf(undefined), navigations: [...new Set(navigations)] };
  if (Object.keys(own.fields).length === 0) throw new AddingError(`${entitySet} has no columns to ask for.`);
  return [own, ...extra];
}
