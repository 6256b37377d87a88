/** Metadata that cannot be read, or that no record type can be made of. */
export class MetadataError extends Error {
  /** The line of the document, from 1. */
  readonly line: number;

  constructor(line: number, reason: string) {
    super(`Line ${line}: ${reason}`);
    this.name = 'MetadataError';
    this.line = line;
  }
}
