import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildSchema, getNamedType, isLeafType, isRequiredArgument } from 'graphql';

const given = new URL('relay/', import.meta.url);
const folder = new URL('generated/relay/', import.meta.url);
const compiler = fileURLToPath(new URL('node_modules/relay-compiler/cli.js', import.meta.url));

/** A refetchable fragment for each type that implements `Node`, with all its scalars and enums; a company's lists. */
function writeFragments(sdl) {
  const schema = buildSchema(sdl);
  const { objects } = schema.getImplementations(schema.getType('Node'));
  const fragments = objects.map((type) => {
    const leaves = Object.values(type.getFields()).filter(
      (field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument),
    );
    const selection = leaves.map(({ name }) => name).join(' ');
    const name = `nodes${type}`;
    return `graphql\`fragment ${name} on ${type} @refetchable(queryName: "${name}Query") { ${selection} }\`;`;
  });
  const lists = Object.values(schema.getType('Company').getFields()).filter(({ type }) =>
    getNamedType(type).name.endsWith('Connection'),
  );
  const nameOf = ({ name }) => name;
  return { types: objects.map(nameOf), lists: lists.map(nameOf), source: fragments.join('\n') };
}

/** Compiles the fragments and `relay/pages.js`. Throws with the compiler's messages if it reports any. */
export async function compileRelay(sdl) {
  const { types, lists, source } = writeFragments(sdl);
  await rm(folder, { recursive: true, force: true });
  await mkdir(new URL('src/', folder), { recursive: true });
  await mkdir(new URL('artifacts/', folder));
  await copyFile(new URL('relay.config.json', given), new URL('relay.config.json', folder));
  await copyFile(new URL('pages.js', given), new URL('src/pages.js', folder));
  await writeFile(new URL('schema.graphql', folder), sdl);
  await writeFile(new URL('src/nodes.js', folder), source);
  await writeFile(new URL('package.json', folder), '{ "type": "commonjs" }');
  await promisify(execFile)(process.execPath, [compiler], { cwd: folder });
  const require = createRequire(import.meta.url);
  return {
    types,
    lists,
    load: (name) => require(fileURLToPath(new URL(`artifacts/${name}.graphql.js`, folder))),
  };
}
