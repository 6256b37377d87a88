import { LosslessNumber } from 'lossless-json';
import { wordOf } from '../graph/choice.ts';
import { invalidInput, type UserError } from '../graph/user-errors.ts';
import type { Dialect } from './dialect.ts';
import { type Kind, type Shape, standIns } from './records.ts';

/** What a caller wrote of a record: values by the graph's names, lines of a document as lists of such. */
export type Input = Readonly<Record<string, unknown>>;

/** The body a write sends, by the upstream's names. Decimals in it are `LosslessNumber`. */
export type Body = Readonly<Record<string, unknown>>;

/**
 * The fields of an input as the upstream writes them; `path` leads to the input. Fields left out are not sent.
 * A cleared field becomes its stand-in, and a decimal keeps every digit given.
 */
export function writeFields(
  shape: Shape,
  dialect: Dialect,
  input: Input,
  path: readonly string[],
): { body: Body; faults: readonly UserError[] } {
  const { fields, dialects } = shape;
  const body: Record<string, unknown> = {};
  const faults: UserError[] = [];
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const writtenAs = dialects?.[dialect.name]?.names[name] ?? name;
    const inner = linesOf(shape, name);
    if (inner) {
      if (value === null) continue;
      const lines = (value as readonly Input[]).map((line, index) =>
        writeFields(inner, dialect, line, [...path, name, String(index)]),
      );
      body[writtenAs] = lines.map((line) => line.body);
      faults.push(...lines.flatMap((line) => line.faults));
      continue;
    }
    const written = writeValue(fields[name] as Kind, dialect, value);
    if (typeof written === 'object' && 'fault' in written) {
      faults.push(invalidInput(`\`${name}\` ${written.fault}`, ...path, name));
    } else {
      body[writtenAs] = written;
    }
  }
  return { body, faults };
}

/** The names an input gives values to, by the type they are fields of. */
export function namesIn(shape: Shape, input: Input): Readonly<Record<string, readonly string[]>> {
  const given = Object.keys(input).filter((name) => input[name] !== undefined);
  const names: Record<string, readonly string[]> = { [shape.type]: given };
  for (const name of given) {
    const inner = linesOf(shape, name);
    for (const line of inner ? ((input[name] ?? []) as readonly Input[]) : [])
      for (const [type, ofLine] of Object.entries(namesIn(inner as Shape, line)))
        names[type] = [...new Set([...(names[type] ?? []), ...ofLine])];
  }
  return names;
}

/** The shape of the rows a field of an input holds, when it holds rows. */
export function linesOf({ expansions }: Shape, name: string): Shape | undefined {
  const expansion = expansions?.[name];
  return expansion?.isMany ? expansion.shape : undefined;
}

// RFC 9110, entity-tag; the length is ours. Nothing in it can end a header line.
const entityTag = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]{0,1000}"$/;

/** What is wrong with an `ifMatch`, at most one thing; `path` leads to the input it stands in. */
export function tagFaults(ifMatch: string, path: readonly string[]): readonly UserError[] {
  if (ifMatch === '*' || entityTag.test(ifMatch)) return [];
  const message = '`ifMatch` takes the `etag` of the record as it was read, or `*`.';
  return [invalidInput(message, ...path, 'ifMatch')];
}

function writeValue(
  kind: Kind,
  dialect: Dialect,
  value: unknown,
): string | number | boolean | LosslessNumber | { fault: string } {
  if (typeof kind === 'object') {
    const word = value === null ? kind.unset : wordOf(kind, value);
    if (word !== undefined) return dialect.encodeWord(word);
    if (value === null) return { fault: 'cannot be cleared: it always has a value.' };
    return { fault: 'cannot be UNRECOGNIZED: that only stands for words read from the upstream.' };
  }
  if (value === null) {
    return kind in standIns
      ? standIns[kind as keyof typeof standIns]
      : { fault: 'cannot be cleared: give the value it is to have.' };
  }
  return kind === 'decimal' ? new LosslessNumber(value as string) : (value as string | number | boolean);
}
