// Bundles the libraries of the explorer into `dist/browser/libraries.js`, with their licences beside it: `npm run build`.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = join(root, 'dist/browser');
const licences = 'libraries-licences.txt';

const { output } = await build({
  input: join(root, 'browser/explorer/libraries.js'),
  platform: 'browser',
  logLevel: 'warn',
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  output: {
    dir: folder,
    entryFileNames: 'libraries.js',
    // One file: the browser would find a second one only after it has read the first.
    codeSplitting: false,
    minify: true,
    comments: false,
    postBanner: `/* Licences: ${licences} */`,
  },
});

/** The folder of the package that a module belongs to. */
function packageOf(path) {
  const parent = dirname(path);
  return existsSync(join(path, 'package.json')) &&
    JSON.parse(readFileSync(join(path, 'package.json'))).version
    ? path
    : packageOf(parent);
}

const modules = Object.keys(output[0].modules).filter((id) => id.includes('node_modules/'));
const packages = [...new Set(modules.map((id) => packageOf(dirname(id))))].sort();
const texts = packages.map((path) => {
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const file = readdirSync(path).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  const text = file === undefined ? '' : `\n\n${readFileSync(join(path, file), 'utf8').trim()}`;
  return `${name} ${version}: ${license}${text}`;
});
writeFileSync(join(folder, licences), `${texts.join('\n\n---\n\n')}\n`);
