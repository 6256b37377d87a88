/** Ends the command with a sentence that says what happened and what to do. */
export class AddingError extends Error {
  override readonly name = 'AddingError';
  /** 2 for wrong arguments, as for settings; 1 for anything else. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const usageError = (message: string): AddingError => new AddingError(message, 2);

// Control characters could move the cursor of a terminal, and bidirectional ones reorder what it shows.
const unprintable = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;
const maxShownLength = 900;

/** A text of the metadata on one line of a terminal: no control characters, and not longer than people read. */
export function toPrintable(text: string): string {
  const start = text
    .slice(0, maxShownLength + 1)
    .replace(/\s+/g, ' ')
    .replace(unprintable, '�');
  return start.length > maxShownLength ? `${start.slice(0, maxShownLength - 1)}…` : start;
}
