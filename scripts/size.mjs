// Prints how much there is to read: lines and files of each part, words of the documents, settings.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

// The files that git keeps: what is generated or installed does not count.
const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0');

/** [what, the beginning of its paths, the ending of its files] */
const parts = [
  ['src', /^src\//, /\.ts$/],
  ['sandbox', /^sandbox\//, /\.ts$/],
  ['browser', /^browser\//, /\.(js|css|html)$/],
  ['schema', /^schema\//, /\.(graphql|json)$/],
  ['tests', /^test\//, /\.(ts|mjs|patch)$/],
];

const read = (file) => readFileSync(file, 'utf8');
const total = (texts, count) => texts.reduce((sum, text) => sum + count(text), 0);
const number = (value) => value.toLocaleString('en').padStart(8);

for (const [name, folder, ending] of parts) {
  const texts = files.filter((file) => folder.test(file) && ending.test(file)).map(read);
  const lines = total(texts, (text) => text.split('\n').length - 1);
  process.stdout.write(`${name.padEnd(9)}${number(lines)} lines in ${texts.length} files\n`);
}

const pages = files.filter((file) => /^(README|CHANGELOG|CONTRIBUTING)\.md$|^docs\/.*\.md$/.test(file));
const words = total(pages.map(read), (text) => text.split(/\s+/).filter(Boolean).length);
process.stdout.write(`${'docs'.padEnd(9)}${number(words)} words in ${pages.length} pages\n`);

const settings = read('docs/settings.md').match(/^\| `(?!OTEL_|[A-Z]+_PROXY)[A-Z0-9_]+`/gm) ?? [];
process.stdout.write(`${'settings'.padEnd(9)}${number(settings.length)}\n`);
