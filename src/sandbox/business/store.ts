import { derivedGuid } from '../seeded.ts';
import type { Value, Values } from './records.ts';

/** A record as it stands. Only `Store.change` moves it on. */
export interface StoredRecord {
  values: Values;
  etag: string;
  /** How often it was written; 1 when it is new. */
  version: number;
  /** Lines of an order, in the order of their numbers; empty for every other record. */
  lines: readonly StoredRecord[];
}

/** One company: nothing of it is seen under another. */
export interface Company {
  readonly record: StoredRecord;
  readonly localCurrency: string;
  readonly sets: ReadonlyMap<string, ReadonlyMap<string, StoredRecord>>;
  /** How many places of a series were drawn, by its name. */
  readonly drawn: Map<string, number>;
}

/** A write as those are told of it who subscribed to the set. */
export interface StoreChange {
  readonly companyId: string;
  readonly set: string;
  readonly id: string;
  readonly kind: 'created' | 'updated' | 'deleted';
  /** The record's lastModifiedDateTime after it; of a deleted one, when that was. */
  readonly at: string;
}

export interface Store {
  readonly companies: ReadonlyMap<string, Company>;
  addCompany(values: Values, localCurrency: string): Company;
  add(company: Company, set: string, values: Values, lines?: readonly Values[]): StoredRecord;
  remove(company: Company, set: string, record: StoredRecord): void;
  /** A store with the same records that goes its own way from here. */
  copy(): Store;
  /** The records as they are, to go back to. An entity tag that was given meanwhile is not given again. */
  snapshot(): Store;
  /** Writes a record: its entity tag and lastModifiedDateTime move, and those of its lines with it. */
  change(record: StoredRecord, values: Values, lines?: readonly Values[]): void;
  /** The writes since it was last asked, without those that left everything as it was. */
  takeChanges(): readonly StoreChange[];
}

/** An empty store. Equal sequences of calls give equal entity tags. */
export function createStore(): Store {
  return storeOf(new Map(), { last: 0n }, []);
}

function storeOf(
  companies: Map<string, Company>,
  versions: { last: bigint },
  before: readonly StoreChange[],
): Store {
  let changes = [...before];

  /** Nineteen digits that never repeat: an odd factor permutes the numbers below 2^62. */
  function nextEtag(): string {
    versions.last += 1n;
    const digits = 2n ** 62n + ((versions.last * 3_037_000_499_976_049n) % 2n ** 62n);
    return `W/"${Buffer.from(`'19;${digits};00;'`).toString('base64')}"`;
  }

  function toRecord(values: Values): StoredRecord {
    return { values, etag: nextEtag(), version: 1, lines: [] };
  }

  function note(kind: StoreChange['kind'], company: Company, set: string, { values }: StoredRecord): void {
    const at = kind === 'deleted' ? undefined : values.lastModifiedDateTime;
    changes.push({
      companyId: idOf(company.record),
      set,
      id: String(values.id),
      kind,
      at: String(at ?? new Date().toISOString()),
    });
  }

  return {
    companies,
    addCompany(values, localCurrency) {
      const company = { record: toRecord(values), localCurrency, sets: new Map(), drawn: new Map() };
      companies.set(idOf(company.record), company);
      return company;
    },
    remove(company, set, record) {
      (company.sets as Map<string, Map<string, StoredRecord>>).get(set)?.delete(idOf(record));
      note('deleted', company, set, record);
    },
    copy() {
      return storeOf(copiesOf(companies), { ...versions }, []);
    },
    snapshot() {
      return storeOf(copiesOf(companies), versions, changes);
    },
    add(company, set, values, lines = []) {
      const record = { ...toRecord(values), lines: lines.map(toRecord) };
      const sets = company.sets as Map<string, Map<string, StoredRecord>>;
      const records = sets.get(set) ?? new Map<string, StoredRecord>();
      sets.set(set, records);
      records.set(idOf(record), record);
      note('created', company, set, record);
      return record;
    },
    change(record, values, lines) {
      const isReal = !holdsAlready(record, values, lines);
      record.values = { ...values, lastModifiedDateTime: laterThan(record.values.lastModifiedDateTime) };
      record.etag = nextEtag();
      record.version += 1;
      if (lines) record.lines = lines.map(toRecord);
      const [company, set] = (isReal && homeOf(record, companies)) || [];
      if (company && set !== undefined) note('updated', company, set, record);
    },
    takeChanges() {
      const taken = changes;
      changes = [];
      return taken;
    },
  };
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
  value: Value,
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
 * The next place of a series, 0 first. None comes twice, not even when what was made of it is gone;
 * a transaction that is taken back gives its places back.
 */
export function draw(company: Company, series: string): number {
  const place = company.drawn.get(series) ?? 0;
  company.drawn.set(series, place + 1);
  return place;
}

/** A GUID for a record made while running; the same one for the same record of a fresh sandbox. */
export function newGuid(company: Company, set: string): string {
  for (;;) {
    const id = derivedGuid(`${idOf(company.record)}:new:${set}:${draw(company, `ids of ${set}`)}`);
    if (!recordsOf(company, set).has(id)) return id;
  }
}

/** The company and the set that hold a record. */
function homeOf(
  record: StoredRecord,
  companies: ReadonlyMap<string, Company>,
): [Company, string] | undefined {
  for (const company of companies.values()) {
    for (const [set, records] of company.sets) {
      if (records.get(idOf(record)) === record) return [company, set];
    }
  }
  return undefined;
}

/** True for a write that would change nothing but the time of the last change. */
function holdsAlready(record: StoredRecord, values: Values, lines: readonly Values[] | undefined): boolean {
  const isSame = (held: Values, next: Values) =>
    Object.keys(next).every(
      (name) => name === 'lastModifiedDateTime' || String(held[name]) === String(next[name]),
    );
  if (!isSame(record.values, values)) return false;
  if (!lines) return true;
  const held = record.lines.map((line) => line.values);
  return held.length === lines.length && lines.every((line, index) => isSame(held[index] ?? {}, line));
}

function copiesOf(companies: ReadonlyMap<string, Company>): Map<string, Company> {
  return new Map([...companies].map(([id, company]) => [id, copyOf(company)]));
}

/** Values and lines are never changed in place, so a copy shares them. */
function copyOf(company: Company): Company {
  const sets = [...company.sets].map(([name, records]): [string, Map<string, StoredRecord>] => [
    name,
    new Map([...records].map(([id, record]) => [id, { ...record }])),
  ]);
  return { ...company, sets: new Map(sets), drawn: new Map(company.drawn) };
}

/** Now, or a millisecond after the former time: one record never shows the same time for two versions. */
function laterThan(former: Value | undefined): string {
  const earliest = Date.parse(String(former)) + 1;
  return new Date(Math.max(Date.now(), earliest)).toISOString();
}
