#!/usr/bin/env node
// Old versions of Node.js must be able to parse this file, so it imports nothing before it has checked the version.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 20)) {
  process.stderr.write(
    `Tributary needs Node.js 20.20 or newer, and this is ${process.versions.node}. Install a newer one from https://nodejs.org, and run the same command again.\n`,
  );
  process.exit(2);
}

// In other modes, every `instanceof` check of graphql-js also searches for a second copy of graphql-js.
process.env.NODE_ENV ??= 'production';

import('./commands/program.ts').then(({ runProgram }) => runProgram());
