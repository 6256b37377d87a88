#!/usr/bin/env node
// Any version of Node that knows modules must be able to parse this file: nothing is imported before the version is known.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 20)) {
  process.stderr.write(
    `Tributary needs Node.js 20.20 or newer, and this is ${process.versions.node}. Install a newer one from https://nodejs.org, and run the same command again.\n`,
  );
  process.exit(2);
}

// Otherwise graphql-js checks with every type whether a second copy of itself is loaded.
process.env.NODE_ENV ??= 'production';

import('./commands/program.ts').then(({ runProgram }) => runProgram());
