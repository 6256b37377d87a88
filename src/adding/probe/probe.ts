import type { FileField, RecordFile } from '../../business/record-files/record-file.ts';
import { AddingError } from '../adding-error.ts';
import type { Service } from '../service.ts';
import { createAsk, findCompany } from './asking.ts';
import type { KeyColumn } from './conditions.ts';
import { applyFindings } from './findings.ts';
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
  const set = probedSetOf(file);
  const owner = company ?? (await findCompany(service, set.route));
  const ask = createAsk(service, { route: set.route, company: owner, entitySet: set.entitySet });
  const findings = await probeColumns(set, ask, note);
  note(`Probed with ${service.calls - before} calls, which only read.`);
  return applyFindings(file, findings, today);
}

function probedSetOf(file: RecordFile): ProbedSet {
  const {
    fields,
    route,
    entitySet,
    key = [{ column: 'id', kind: 'uuid' as const }],
    relations = {},
    rows = {},
  } = file;
  const navigations = [...Object.values(relations), ...Object.values(rows)].flatMap(
    ({ navigation }) => navigation ?? [],
  );
  if (Object.keys(fields).length === 0) throw new AddingError(`${entitySet} has no columns to ask for.`);
  return { route, entitySet, key, fields, navigations: [...new Set(navigations)] };
}
