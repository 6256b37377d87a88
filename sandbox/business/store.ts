import { derivedGuid } from '../seeded.ts';
import type { Company, FieldValue, RecordValues, StoredRecord } from './entity-set.ts';

/** A change for webhook notifications. */
export interface StoreChange {
  readonly companyId: string;
  readonly set: string;
  readonly id: string;
  readonly kind: 'created' | 'updated' | 'deleted';
  /** The record's new lastModifiedDateTime or, for a delete, its time. */
  readonly at: string;
}

/** The records of all companies. The same sequence of calls gives the same entity tags. */
export class Store {
  readonly companies: Map<string, Company>;
  private readonly versions: { last: bigint };
  private changes: StoreChange[];

  constructor(
    companies = new Map<string, Company>(),
    versions = { last: 0n },
    changes: readonly StoreChange[] = [],
  ) {
    this.companies = companies;
    this.versions = versions;
    this.changes = [...changes];
  }

  addCompany(values: RecordValues, localCurrency: string): Company {
    const record = this.createRecord(values);
    const company = { record, localCurrency, sets: new Map(), seriesCounters: new Map(), files: new Map() };
    this.companies.set(idOf(record), company);
    return company;
  }

  add(
    company: Company,
    set: string,
    values: RecordValues,
    lines: readonly RecordValues[] = [],
  ): StoredRecord {
    const record = { ...this.createRecord(values), lines: lines.map((line) => this.createRecord(line)) };
    const records = company.sets.get(set) ?? new Map();
    company.sets.set(set, records.set(idOf(record), record));
    this.recordChange('created', company, set, record);
    return record;
  }

  remove(company: Company, set: string, record: StoredRecord): void {
    company.sets.get(set)?.delete(idOf(record));
    this.recordChange('deleted', company, set, record);
  }

  /** Changes a record, with a new entity tag and lastModifiedDateTime; of its lines, those that change get new tags. */
  change(
    company: Company,
    set: string,
    record: StoredRecord,
    values: RecordValues,
    lines?: readonly RecordValues[],
  ): void {
    const isReal = !isUnchanged(record, values, lines);
    record.values = { ...values, lastModifiedDateTime: nextTimestamp(record.values.lastModifiedDateTime) };
    record.etag = this.nextEtag();
    record.version += 1;
    if (lines)
      record.lines = lines.map((line) => keepUnchanged(record.lines, line) ?? this.createRecord(line));
    if (isReal) this.recordChange('updated', company, set, record);
  }

  /** Changes a value that the service computes: the record keeps its entity tag and its time. */
  compute(record: StoredRecord, values: RecordValues): void {
    record.values = { ...record.values, ...values };
  }

  /** Returns and clears the changes since the last call, without writes that changed nothing. */
  takeChanges(): readonly StoreChange[] {
    return this.changes.splice(0);
  }

  /** An independent copy. */
  copy(): Store {
    return new Store(copyCompanies(this.companies), { ...this.versions });
  }

  /** A copy to roll back to. It does not reuse entity tags that are issued in the meantime. */
  snapshot(): Store {
    return new Store(copyCompanies(this.companies), this.versions, this.changes);
  }

  /** Nineteen digits that never repeat: multiplication by an odd factor permutes the numbers below 2^62. */
  private nextEtag(): string {
    this.versions.last += 1n;
    const digits = 2n ** 62n + ((this.versions.last * 3_037_000_499_976_049n) % 2n ** 62n);
    return `W/"${Buffer.from(`'19;${digits};00;'`).toString('base64')}"`;
  }

  private createRecord(values: RecordValues): StoredRecord {
    return { values, etag: this.nextEtag(), version: 1, lines: [] };
  }

  private recordChange(
    kind: StoreChange['kind'],
    company: Company,
    set: string,
    { values }: StoredRecord,
  ): void {
    const modified = kind === 'deleted' ? undefined : values.lastModifiedDateTime;
    const at = String(modified ?? new Date().toISOString());
    this.changes.push({ companyId: idOf(company.record), set, id: String(values.id), kind, at });
  }
}

/** The records of a set in a company, by id. */
export function recordsOf(company: Company, set: string): ReadonlyMap<string, StoredRecord> {
  return company.sets.get(set) ?? new Map();
}

/** The first record of a set that holds a value in a field. */
export function findRecord(
  company: Company,
  set: string,
  field: string,
  value: FieldValue,
): StoredRecord | undefined {
  for (const record of recordsOf(company, set).values()) {
    if (record.values[field] === value) return record;
  }
  return undefined;
}

export function idOf(record: StoredRecord): string {
  return String(record.values.id);
}

/**
 * The next position in a series, from 0. Positions are never reused, except after the rollback of a
 * transaction.
 */
export function nextInSeries(company: Company, series: string): number {
  const position = company.seriesCounters.get(series) ?? 0;
  company.seriesCounters.set(series, position + 1);
  return position;
}

/** The GUID of a new record. The same sequence of creates in a new sandbox gives the same GUIDs. */
export function newRecordGuid(company: Company, set: string): string {
  for (;;) {
    const id = derivedGuid(`${idOf(company.record)}:new:${set}:${nextInSeries(company, `ids of ${set}`)}`);
    if (!recordsOf(company, set).has(id)) return id;
  }
}

/** The line as it is held, if it has the same values. */
function keepUnchanged(held: readonly StoredRecord[], next: RecordValues): StoredRecord | undefined {
  const line = held.find(({ values }) => values.id === next.id);
  return line && isSameValues(line.values, next) ? line : undefined;
}

/** True for a write that changes only lastModifiedDateTime. */
function isUnchanged(
  record: StoredRecord,
  values: RecordValues,
  lines: readonly RecordValues[] | undefined,
): boolean {
  if (!isSameValues(record.values, values)) return false;
  if (!lines) return true;
  const held = record.lines.map((line) => line.values);
  return held.length === lines.length && lines.every((line, index) => isSameValues(held[index] ?? {}, line));
}

function isSameValues(held: RecordValues, next: RecordValues): boolean {
  return Object.keys(next).every(
    (name) => name === 'lastModifiedDateTime' || String(held[name]) === String(next[name]),
  );
}

/** Values and lines are immutable, so copies share them. */
function copyCompanies(companies: ReadonlyMap<string, Company>): Map<string, Company> {
  const copyRecords = (records: ReadonlyMap<string, StoredRecord>) =>
    new Map([...records].map(([id, record]) => [id, { ...record }]));
  return new Map(
    [...companies].map(([id, company]) => [
      id,
      {
        ...company,
        sets: new Map([...company.sets].map(([set, records]) => [set, copyRecords(records)])),
        seriesCounters: new Map(company.seriesCounters),
        files: new Map(company.files),
      },
    ]),
  );
}

/**
 * The current time, but at least a millisecond after the previous time, so that versions of a record differ in
 * it.
 */
function nextTimestamp(former: FieldValue | undefined): string {
  const earliest = Date.parse(String(former)) + 1;
  return new Date(Math.max(Date.now(), earliest)).toISOString();
}
