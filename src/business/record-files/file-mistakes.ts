/** What is wrong with a record file. */
export interface FileMistake {
  /** The file as the setting names it. */
  readonly file: string;
  /** Where in it: `line 7`, or the path of a value such as `fields.city.kind`; null for the whole file. */
  readonly place: string | null;
  /** What is wrong, and what to do: sentences. */
  readonly message: string;
}

/** A file and its content, once it has the format. */
export interface Loaded<Content> {
  readonly file: string;
  readonly content: Content;
}

export const formatMistake = ({ file, place, message }: FileMistake): string =>
  [file, ...(place === null ? [] : [place]), message].join(': ');
