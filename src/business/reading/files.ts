import { createSealer } from '../../runtime/keyring.ts';
import type { RecordSet } from '../record-sets/record-set.ts';
import { recordPath } from './views.ts';

/** A file that belongs to each record of a type, such as its picture. */
export interface FileSource {
  /** The path of its content below the record. */
  readonly segment: string;
  /** Whether it can be replaced. */
  readonly isReplaceable: boolean;
  /** The extension of the name to save it under, with its dot; left out if the type of the file differs by record. */
  readonly extension?: string;
  /** The column with the name to save it under. Without a column, the name consists of the record's type and number. */
  readonly nameColumn?: string;
}

/** The content of a sealed address. */
export interface FileAddress {
  /** The upstream's path, percent-encoded. */
  readonly path: string;
  readonly companyId: string;
  readonly name: string;
  readonly isReplaceable: boolean;
  /** The only principal that may use the address; never a token. */
  readonly principal: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A file as the graph shows it. */
export interface File {
  readonly url: string;
  readonly expiresAt: string;
  readonly name: string;
  readonly isReplaceable: boolean;
}

/** Seals and opens addresses of files. */
export interface FileAddresses {
  create(file: Omit<FileAddress, 'expiresAt'>): File;
  /** Returns null for a text that this deployment did not seal, and for an expired address. */
  open(sealed: string): FileAddress | null;
}

export interface FileAddressesOptions {
  readonly secrets: readonly string[];
  /** The lifetime of an address. */
  readonly seconds: number;
  /** The URL up to the sealed part. */
  readonly baseUrl: string;
  now(): number;
}

// Longer than any name that the upstream keeps, and short enough for an address.
const maxNameLength = 250;

// An address has at most five texts of a few hundred characters.
const maxBytes = 8_192;

export function createFileAddresses({ secrets, seconds, baseUrl, now }: FileAddressesOptions): FileAddresses {
  const sealer = createSealer({ secrets, purpose: 'tributary file', maxBytes });
  return {
    create({ name, isReplaceable, ...file }) {
      const expiresAt = now() + seconds * 1_000;
      const sealed = sealer.seal({ ...file, name, isReplaceable, expiresAt });
      return { url: baseUrl + sealed, expiresAt: new Date(expiresAt).toISOString(), name, isReplaceable };
    },
    open(sealed) {
      const address = sealer.open(sealed) as FileAddress | undefined;
      return address !== undefined && now() < address.expiresAt ? address : null;
    },
  };
}

/** Makes a name safe as a file name on every operating system. */
const toFileName = (name: string): string =>
  name.slice(0, maxNameLength).replace(/[\p{Cc}\p{Cf}\p{Cs}\\/:*?"<>|]|^\.+/gu, '_');

/** The content of the address of a record's file. */
export function describeFile(
  set: RecordSet,
  record: Readonly<Record<string, unknown>> & { readonly companyId: string; readonly id: string },
  { segment, extension = '', nameColumn, isReplaceable }: FileSource,
): Omit<FileAddress, 'expiresAt' | 'principal'> {
  const { companyId, id, number } = record;
  const given = nameColumn === undefined ? null : record[nameColumn];
  const name = typeof given === 'string' ? given : `${set.type}-${number ?? id}${extension}`;
  return {
    path: `${recordPath(set, companyId, id)}/${segment}`,
    companyId,
    name: toFileName(String(name)),
    isReplaceable,
  };
}
