import type { EntitySet, EntityType, Model } from './csdl/model.ts';
import type { Captions } from './definitions.ts';
import type { TypeNames } from './type-names.ts';

/** What the parts of one record file are made of. */
export interface Draft {
  readonly model: Model;
  readonly set: EntitySet;
  readonly type: EntityType;
  readonly names: TypeNames;
  readonly captions: Captions;
  /** The type in the graph of an entity set that is there, or comes with this one; undefined for any other. */
  graphType(entitySet: string): string | undefined;
  /** Whether its record file is made in the same run. */
  isDrafted(entitySet: string): boolean;
  /** Gives a name that no other type of the graph has. */
  takeTypeName(name: string): string;
  /** Says what was found out or decided, in a sentence. */
  note(sentence: string): void;
}

/** A name of the upstream in a note. */
export const inNote = (name: string): string => `\`${name}\``;

export const listInNote = (names: readonly string[]): string => names.map(inNote).join(', ');

/** `the list `a` is`, `the lists `a`, `b` are`. */
export const theseAre = (what: string, names: readonly string[]): string =>
  `the ${what}${names.length === 1 ? '' : 's'} ${listInNote(names)} ${names.length === 1 ? 'is' : 'are'}`;

/** One form for one, another for several. */
export const oneOrMany = (names: readonly string[], one: string, many: string): string =>
  names.length === 1 ? one : many;

const maxNoteLength = 2_000;

/** As long as a text of a record file may be. */
export const toNote = (sentence: string): string =>
  sentence.length > maxNoteLength
    ? `${sentence.slice(0, maxNoteLength - 1).replace(/\p{Cs}$/u, '')}…`
    : sentence;
