import type { FileField, RecordTypeFile } from '../business/record-files/record-file.ts';
import { wordsOf } from './seed-values.ts';

/*
 * Pieces of the text of the sandbox's sets. They hold no text of metadata outside of string literals: names that become code
 * match `identifier`, everything else goes through `literal`.
 */

const identifier = /^[a-z][A-Za-z0-9]{0,99}$/;
const reserved = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield'.split(
    ' ',
  ),
);
// What the text itself imports and uses.
const used = new Set(
  'booleanField choiceField codeField computed dateField dateTimeField decimalField entitySet guidField integerField readOnly seedRows textField'.split(
    ' ',
  ),
);

/** The name of a set in code, and its file. */
export interface SetNames {
  readonly identifier: string;
  /** Below `sandbox/business/sets`, without an extension. */
  readonly file: string;
}

export const isCodeName = (entitySet: string): boolean => identifier.test(entitySet);

export function nameSet(entitySet: string): SetNames {
  if (!isCodeName(entitySet)) throw new TypeError(`${JSON.stringify(entitySet)} cannot be a name in code.`);
  const isTaken = reserved.has(entitySet) || used.has(entitySet);
  const file = entitySet.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`);
  return { identifier: isTaken ? `${entitySet}Set` : entitySet, file };
}

export const literal = (value: unknown): string =>
  (JSON.stringify(value) ?? 'undefined').replace(/[\u2028\u2029]/g, (character) =>
    character === '\u2028' ? '\\u2028' : '\\u2029',
  );

/** An object of literals, or of code where values are code already. */
export const objectOf = (entries: readonly (readonly [name: string, code: string])[]): string =>
  `{ ${entries.map(([name, code]) => `${literal(name)}: ${code}`).join(', ')} }`;

const lengths = { text: 100, word: 50, code: 20 };

/** A column as an argument of `entitySet`. `builders` gets the names that the text has to import. */
export function fieldText(
  { enums = {} }: Pick<RecordTypeFile, 'enums'>,
  name: string,
  field: FileField,
  builders: Set<string>,
): string {
  const column = field.column ?? name;
  const rules = [
    ...(field.writes?.length ? [] : ['readOnly']),
    ...(field.canFilter === false ? ['computed'] : []),
  ];
  const call = (builder: string, ...rest: readonly unknown[]) => {
    const needed = builder === 'dateTimeField' ? [] : rules;
    for (const each of [builder, ...needed]) builders.add(each);
    const rule = needed.length > 1 ? '{ ...readOnly, ...computed }' : needed[0];
    return `${builder}(${[literal(column), ...rest.map(literal), ...(rule ? [rule] : [])].join(', ')})`;
  };
  switch (field.kind) {
    case 'uuid':
      return call('guidField');
    case 'choice': {
      const words = wordsOf(enums, field.enum ?? '');
      return words.length === 0 ? call('textField', lengths.word) : call('choiceField', words);
    }
    case 'text':
    case 'word':
      return call('textField', lengths[field.kind]);
    case 'code':
      return call('codeField', lengths.code);
    case 'int':
    case 'safeInt':
      return call('integerField');
    case 'decimal':
      return call('decimalField');
    case 'boolean':
      return call('booleanField');
    case 'date':
      return call('dateField');
    case 'dateTime':
      return call('dateTimeField');
    case 'object':
      return `{ name: ${literal(column)}, kind: 'object', isReadOnly: true }`;
  }
}
