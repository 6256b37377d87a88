import type { Captions } from './definitions.ts';
import type { EntitySet, EntityType, Model } from './model.ts';
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
  /** Gives a name that no other type of the graph has. */
  takeTypeName(name: string): string;
  /** Says what was found out or decided, in a sentence. */
  note(sentence: string): void;
}

/** A name of the upstream in a note. */
export const inNote = (name: string): string => `\`${name}\``;

export const listInNote = (names: readonly string[]): string => names.map(inNote).join(', ');
