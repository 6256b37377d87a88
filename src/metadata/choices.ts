import type { RecordTypeFile } from '../business/record-files/record-file.ts';
import { terms } from './csdl/annotations.ts';
import type { EnumType } from './csdl/model.ts';
import { toLine } from './definitions.ts';
import { createNameList } from './name-list.ts';
import { toPhrase, toSentence, toUpperCaseName } from './words.ts';

type Choice = NonNullable<RecordTypeFile['enums']>[string];

/** What .NET makes of characters that XML names cannot have: `_x0020_` is a blank, `_x005F_` an underscore. */
const decodeWord = (name: string): string =>
  name.replace(/_x([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8})_/g, (encoded, digits: string) => {
    const code = Number.parseInt(digits, 16);
    return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : encoded;
  });

const isBlank = (word: string): boolean => word.trim() === '';

/** The enum of a column. `subject` is what it says something of: `the status of a purchase order`. */
export function toChoice(type: EnumType, subject: string, captions: ReadonlyMap<string, string>): Choice {
  // UNRECOGNIZED stands for the words that are not listed.
  const names = createNameList((name) => name === 'UNRECOGNIZED' || /^__/.test(name));
  // Two names can be one word: `A` and `_x0041_`.
  const listed = [...new Map(type.members.map((member) => [decodeWord(member.name), member]))].map(
    ([word, member]) => ({ ...member, word }),
  );
  const named = new Set(listed.filter(({ word }) => !isBlank(word)).map(({ word }) => toUpperCaseName(word)));
  const members = listed.map((member) => {
    const name = isBlank(member.word)
      ? named.has('NONE')
        ? 'NOT_SET'
        : 'NONE'
      : toUpperCaseName(member.word);
    return [names.take(name), { word: member.word, description: describeMember(member, captions) }] as const;
  });
  const unset = listed.find(({ word }) => isBlank(word))?.word;
  return {
    description: `${toSentence(subject)}`,
    members: Object.fromEntries(members),
    ...(unset !== undefined && { unset }),
  };
}

function describeMember(
  { name, word, annotations }: EnumType['members'][number] & { readonly word: string },
  captions: ReadonlyMap<string, string>,
): string {
  const said = annotations.get(terms.description) ?? captions.get(name);
  const line = typeof said === 'string' ? toLine(said) : null;
  if (line !== null) return toSentence(line);
  if (isBlank(word)) return 'Not set.';
  return toSentence(toPhrase(word) || (toLine(word) ?? name));
}
