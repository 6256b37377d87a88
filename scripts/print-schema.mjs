// Prints the definitions of the graph, for codegen: `npm run codegen`.
import { writeFileSync } from 'node:fs';
import { concatAST, print } from 'graphql';
import { readTypeDefs } from '../dist/app/schema/sdl.js';

writeFileSync(new URL('../dist/schema.graphql', import.meta.url), print(concatAST(readTypeDefs())));
