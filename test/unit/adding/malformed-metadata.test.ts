import { describe, expect, test } from 'vitest';
import { parseMetadata } from '../../../src/adding/metadata.ts';
import { AddingError } from '../../../src/adding/xml.ts';
import { documentOf } from '../../support/cases/metadata.ts';

/** What reading fails with. */
function failure(csdl: string | Uint8Array): AddingError {
  try {
    parseMetadata(csdl);
  } catch (error) {
    if (error instanceof AddingError) return error;
    throw error;
  }
  throw new Error('it was read');
}

const thing = (
  inside = '<Key><PropertyRef Name="id"/></Key><Property Name="id" Type="Edm.Guid"/>',
  attributes = '',
) => `<EntityType Name="Thing"${attributes}>${inside}</EntityType>`;
const set = '<EntitySet Name="Things" EntityType="Test.Thing"/>';

describe('XML', () => {
  test.each([
    ['is not closed', '<a>\n<b>', 2, 'unclosed tag'],
    ['has an entity that is not defined', '<a>\n&secret;</a>', 2, 'undefined entity'],
    ['is no XML', 'Unauthorized', 1, 'text data outside of root node'],
  ])('that %s is refused with its line', (_what, xml, line, reason) => {
    const { message } = failure(xml);

    expect(message).toContain(reason);
    expect(message).toMatch(new RegExp(`^Line ${line}: .+\\.$`));
  });

  test('defines no entities: none is expanded, and no file is read', () => {
    const laughs = Array.from(
      { length: 10 },
      (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`,
    ).join('\n');

    expect(failure(`<!DOCTYPE a [<!ENTITY a0 "ha">\n${laughs}]><a>&a10;</a>`).message).toContain(
      'undefined entity',
    );
    expect(failure('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>').message).toContain(
      'undefined entity',
    );
  });

  test('with the mark of UTF-8 is read', () => {
    const text = `\uFEFF${documentOf(thing(), set)}`;

    expect(parseMetadata(Buffer.from(text)).entitySets.size).toBe(1);
  });
});

describe('metadata', () => {
  test.each([
    ['is HTML with a document type', '<!DOCTYPE html><html/>', 'begins with <html>'],
    ['was cut short', documentOf(thing(), set).slice(0, -30), 'The document may have been cut short.'],
    [
      'is of OData 3',
      documentOf(thing(), set).replace('Version="4.0"', 'Version="1.0"'),
      'only that of OData 4',
    ],
  ])('that %s is refused', (_what, csdl, reason) => {
    expect(failure(csdl).message).toContain(reason);
  });
});
