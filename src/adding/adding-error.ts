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
const maxShownLength = 300;

/** A text of metadata or of a service on one line of a terminal: no control characters, and not longer than people read. */
export function toPrintable(text: string, maxLength = maxShownLength): string {
  const start = text
    .slice(0, maxLength + 1)
    .replace(/\s+/g, ' ')
    .replace(unprintable, '�');
  return start.length > maxLength ? `${start.slice(0, maxLength - 1)}…` : start;
}

/** The same for a text of several lines, such as a diff. */
export const toPrintableLines = (text: string): string =>
  text.replace(unprintable, (character) => (character === '\n' ? character : '�'));
