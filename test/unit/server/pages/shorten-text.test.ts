import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shortenText } from '../../../../src/server/pages/browser-files.ts';

test('comments that begin a line and indentation are left out', () => {
  const text = '/** Says so. */\nexport const a = 1; // one\n  // two\n  b(\n    "/* no comment */",\n  );\n';

  expect(shortenText('a.js', text)).toBe('export const a = 1; // one\nb("/* no comment */",);\n');
  expect(
    shortenText('a.css', 'a,\nb {\n  color: red;\n  margin: 0 0.5rem 10.5px -0.25em;\n}\n\nc {\n}\n'),
  ).toBe('a,b{color:red;margin:0 .5rem 10.5px -.25em;}c{}');
  expect(shortenText('a.js', 'a;\n\n\nb;\n')).toBe('a;\nb;\n');
  expect(shortenText('a.js', 'f((/** @type {{ a: B }} */ c) => c);\n')).toBe('f((c) => c);\n');
  expect(shortenText('a.js', 'f(a, // (\n  b,\n);\n')).toBe('f(a, // (\nb,);\n');
  expect(shortenText('a.svg', ' /* a */')).toBe(' /* a */');
});

test('a template of several lines stays as it is', () => {
  const text = '/* a */\n  const query = `{\n    name\n  }`;\n';

  expect(shortenText('a.js', text)).toBe('  const query = `{\n    name\n  }`;\n');
  const nested = `a(\n  \`b \${c ? \`d\` : \`e\n  f\`}\`,\n);\n`;
  expect(shortenText('a.js', nested)).toBe(nested);
});

test('the documents of the console are the same afterwards', async () => {
  const path = new URL('../../../../browser/console/documents.js', import.meta.url);
  const shortened = shortenText('documents.js', readFileSync(path, 'utf8'));
  const documents = await import('../../../../browser/console/documents.js');

  expect({ ...(await import(`data:text/javascript,${encodeURIComponent(shortened)}`)) }).toEqual({
    ...documents,
  });
  expect(shortened).not.toContain('/**');
});
