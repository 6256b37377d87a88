#!/usr/bin/env node
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { loadConfig, runCommand } from './commands/run-command.ts';
import { version } from './runtime/version.ts';

// Lets the heap grow by 20 % between major collections. V8's default lets it grow up to fourfold.
setFlagsFromString('--heap-growing-percent=20');
// Disables pretenuring. After a load spike, V8 would allocate short-lived objects in the old generation from then on.
setFlagsFromString('--no-allocation-site-pretenuring');
// On a single core, concurrent marking blocks the main thread for 20 ms at a time.
if (availableParallelism() === 1) setFlagsFromString('--no-concurrent-marking');

const addExamples = `
In a checkout it writes schema/records, the sandbox's set and the row of docs/record-types.md; elsewhere use --json.
Exit codes: 0 all is as the metadata says or was written, 1 something differs and was not written, 2 wrong arguments.

Examples:
  tributary add vendors --metadata metadata.xml
  tributary add vendors contacts --url https://api.example.com --token-file token.txt --probe
  tributary add vendors --url https://api.example.com/api/v2.0 --token-file token.txt --json --out records
  tributary add itemExtensions --metadata app.xml --route contoso/app/v1.0 --extends Item
  tributary add vendors --metadata metadata.xml --update --dry-run`;

/** What commander calls them: 2, as for settings and for arguments that contradict each other. */
const wrongArguments: ReadonlySet<string> = new Set(
  [
    'unknownOption',
    'missingArgument',
    'optionMissingArgument',
    'missingMandatoryOptionValue',
    'conflictingOption',
    'invalidArgument',
    'excessArguments',
  ].map((code) => `commander.${code}`),
);

// Each command imports its modules lazily: a health check runs twice a minute and must be cheap.
const program = new Command('tributary')
  .description('One GraphQL graph over business records, instance control and service health events.')
  .version(version)
  .exitOverride(({ code, exitCode }) => process.exit(wrongArguments.has(code) ? 2 : exitCode))
  .addHelpText(
    'after',
    '\nSettings are environment variables; `tributary settings` and docs/settings.md list them. `dev` also reads a file .env.',
  );

program
  .command('dev')
  .description('serve the graph, with the sandbox for every upstream without a URL')
  .action(() => runCommand(async () => (await import('./commands/dev.ts')).runDev()));
program
  .command('serve')
  .description('serve the graph with the configured upstreams')
  .action(() => runCommand(async () => (await import('./commands/serve.ts')).runServe()));
program
  .command('sandbox')
  .description('serve the sandbox only')
  .action(() => runCommand(async () => (await import('./commands/sandbox.ts')).runSandbox()));
program
  .command('check')
  .description('validate the settings and their record files; exits with 0 if they are valid, else with 2')
  .action(() => runCommand(async () => (await import('./commands/check.ts')).runCheck()));
program
  .command('settings')
  .description('print every setting with its values, default and meaning, as Markdown')
  .action(() => runCommand(async () => (await import('./commands/settings.ts')).runSettings()));
program
  .command('healthcheck')
  .description('check a local server with the same settings; exits with 0 if it is alive, else with 1')
  .action(() =>
    runCommand(async () => {
      const { checkHealth } = await import('./app/healthcheck.ts');
      await checkHealth(loadConfig());
      return undefined;
    }),
  );
program
  .command('schema')
  .description('print the schema as SDL')
  .option('--subgraph', 'print the federation subgraph')
  .option(
    '--policies',
    'with --subgraph: say by @authenticated and @requiresScopes what the settings require',
  )
  .action((options) => runCommand(async () => (await import('./commands/schema.ts')).runSchema(options)));

program
  .command('add')
  .description('make record types from the metadata of a service')
  .argument('<entitySet...>', 'entity sets, as the metadata spells them')
  .option('--metadata <file>', 'read the metadata from a CSDL file')
  .option('--url <url>', 'read it from a service: its base URL, or that of its $metadata')
  .option('--token-file <file>', 'send the bearer token in this file to that service')
  .option('--route <route>', 'v2.0 (default), or {publisher}/{group}/{version} of a custom API')
  .option('--json', 'make the record file alone, for RECORD_TYPES')
  .option('--out <folder>', 'with --json: write to this folder instead of stdout')
  .option('--extends <type>', 'add the columns to this type instead of making a new one')
  .option('--update', 'show what the metadata says differently today, and apply it')
  .option('--dry-run', 'write nothing, and say what would be written')
  .option('--allow-breaking', 'with --update: apply it even if it breaks clients')
  .option('--probe', 'ask the service what can be selected, filtered, sorted and expanded; only reads')
  .option('--probe-writes', 'ask which columns can be written, on records that it makes and deletes')
  .option('--yes-write <companyId>', 'with --probe-writes: the company to make them in')
  .option('--write-values <json>', 'with --probe-writes: what a new record needs, by column')
  .option('--company <companyId>', 'with --probe: the company to ask in; the first by default')
  .option('--max-calls <number>', 'the most calls to the service, 300 by default')
  .addHelpText('after', addExamples)
  .action((entitySets, options) =>
    runCommand(async () => (await import('./commands/add.ts')).runAdd({ entitySets, ...options })),
  );

await program.parseAsync();
