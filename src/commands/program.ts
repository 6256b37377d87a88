import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Command, InvalidArgumentError } from 'commander';
import { version } from '../runtime/version.ts';
import { print, runCommand } from './run-command.ts';

// Lets the heap grow by 50 % between major collections. V8's default lets it grow up to fourfold.
setFlagsFromString('--heap-growing-percent=50');
// Disables pretenuring. After a load spike, V8 would allocate short-lived objects in the old generation from then on.
setFlagsFromString('--no-allocation-site-pretenuring');
// On a single core, concurrent marking blocks the main thread for 20 ms at a time.
if (availableParallelism() === 1) setFlagsFromString('--no-concurrent-marking');

const examples = (...lines: readonly string[]) =>
  `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;

const portFlag = ['--port <port>', 'listen on this port instead of PORT; 0 for a free one'] as const;

const signals = `
Signals: SIGINT and SIGTERM stop it when running requests have finished.
`;

interface Flags {
  readonly port?: string;
}

/** Runs the command of the process. Commands import their modules lazily, so that they start fast. */
export async function runProgram(): Promise<void> {
  const program = new Command('tributary')
    .description('One GraphQL graph over business records, instance control and service health events.')
    .version(version)
    // Wrong arguments exit with 2, as wrong settings do. Commander's own exit code is 1.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .addHelpText(
      'after',
      `
Settings are environment variables or lines of a file .env; \`tributary settings\` lists them.
Exit codes: 0 success, 1 failure, 2 wrong settings or arguments.
${examples('tributary dev', 'BUSINESS_URL=https://business.example.com tributary serve --port 8080', 'tributary check --connect', 'tributary help serve')}`,
    );
  declareServers(program);
  declareChecks(program);
  declareAdd(program);
  declareMcp(program);
  for (const option of program.commands.flatMap(({ options }) => options))
    if (option.required) option.argParser(parseOptionValue);
  await program.parseAsync();
}

/** Rejects an empty value, which is probably an unset variable of the shell, and a second value, which would hide the first. */
function parseOptionValue(value: string, before?: string): string {
  if (value === '') throw new InvalidArgumentError('Give it a value, or leave it out.');
  if (before !== undefined) throw new InvalidArgumentError('It is given twice. Remove one.');
  return value;
}

function declareServers(program: Command): void {
  program
    .command('dev')
    .description('serve the graph, with the sandbox for every upstream without a URL')
    .option(...portFlag)
    .addHelpText(
      'after',
      signals +
        examples(
          'tributary dev',
          'tributary dev --port 0',
          'BUSINESS_URL=https://business.example.com tributary dev',
        ),
    )
    .action(({ port }: Flags) => runCommand(async () => (await import('./dev.ts')).runDev({ PORT: port })));
  program
    .command('serve')
    .description('serve the graph with the configured upstreams')
    .option(...portFlag)
    .addHelpText(
      'after',
      signals +
        examples(
          'BUSINESS_URL=https://business.example.com tributary serve',
          'MANAGEMENT_URL=https://management.example.com HOST=0.0.0.0 tributary serve --port 8080',
        ),
    )
    .action(({ port }: Flags) =>
      runCommand(async () => (await import('./serve.ts')).runServe({ PORT: port })),
    );
  program
    .command('sandbox')
    .description('serve the sandbox of all three services, without the graph')
    .option('--port <port>', 'listen on this port instead of 4100; 0 for a free one')
    .addHelpText('after', examples('tributary sandbox', 'tributary sandbox --port 4200'))
    .action((flags: Flags) => runCommand(async () => (await import('./sandbox.ts')).runSandbox(flags)));
}

function declareChecks(program: Command): void {
  program
    .command('check')
    .description('judge the settings as `serve` would, and print those that are set with their sources')
    .option('--all', 'print the settings that have their defaults, too')
    .option('--dev', 'judge them as `dev` would')
    .option('--connect', 'try the upstreams, token endpoints, key set and Redis, for 3 s at most')
    .option('--port <port>', 'judge this port instead of PORT')
    .addHelpText(
      'after',
      `\nExit codes: 0 all is well, 1 something cannot be used (--connect), 2 wrong settings.\n${examples(
        'BUSINESS_URL=https://business.example.com tributary check',
        'tributary check --connect',
        'tributary check --dev',
      )}`,
    )
    .action(({ port, ...options }: Flags & { dev?: true; connect?: true; all?: true }) =>
      runCommand(async () => (await import('./check.ts')).runCheck(options, { PORT: port })),
    );
  program
    .command('settings')
    .description('print every setting with its values, default and meaning, as Markdown')
    .addHelpText('after', examples('tributary settings'))
    .action(() =>
      runCommand(async () =>
        print((await import('../config/settings-page.ts')).formatSettingsPage().trimEnd()),
      ),
    );
  program
    .command('healthcheck')
    .description(
      'check a local server with the same settings; exits with 0 if it is alive, with 2 if its settings are invalid, else with 1',
    )
    .addHelpText('after', examples('tributary healthcheck', 'ADMIN_PORT=4101 tributary healthcheck'))
    .action(() => runCommand(async () => (await import('./healthcheck.ts')).runHealthcheck()));
  program
    .command('schema')
    .description('print the schema as SDL')
    .option('--subgraph', 'print the federation subgraph')
    .addHelpText(
      'after',
      examples('tributary schema > schema.graphql', 'tributary schema --subgraph > subgraph.graphql'),
    )
    .action((options) => runCommand(async () => (await import('./schema.ts')).runSchema(options)));
}

function declareAdd(program: Command): void {
  program
    .command('add')
    .description('draft a record type from the metadata of a service, as a file for RECORD_TYPES')
    .argument('<entitySet>', 'the entity set, as the metadata spells it')
    .requiredOption('--metadata <file>', 'read the metadata from this CSDL file')
    .option('--route <route>', 'v2.0 (default), or {publisher}/{group}/{version} of a custom API')
    .option('--out <folder>', 'write to this folder instead of records')
    .addHelpText(
      'after',
      `\nIt lists what to review, and overwrites no file.\n${examples('tributary add vendors --metadata metadata.xml')}`,
    )
    .action((entitySet, options) =>
      runCommand(async () => (await import('./add.ts')).runAdd({ entitySet, ...options })),
    );
}

function declareMcp(program: Command): void {
  program
    .command('mcp')
    .description('offer operations to agents as tools (Model Context Protocol), over stdio or HTTP')
    .argument('<documents>', 'a folder of .graphql files, or a manifest of trusted documents (JSON)')
    .option('--url <url>', 'call this GraphQL endpoint instead of http://127.0.0.1:4000/graphql')
    .option('--schema <file>', 'read the schema of the endpoint from this SDL file')
    .option('--follow <seconds>', 'report the progress of an operation for this long, 50 by default')
    .option('--port <port>', 'serve HTTP on this port instead of stdio; 0 for a free one')
    .option('--host <host>', 'with --port: listen on this address instead of 127.0.0.1')
    .option('--allow <hosts>', 'with --port: further host names that clients may use, with commas')
    .addHelpText(
      'after',
      `
Over stdio, calls have the token TRIBUTARY_TOKEN of the environment; over HTTP, the authorization of the client.
${examples(
  'TRIBUTARY_TOKEN=sandbox tributary mcp examples/agent/operations',
  'tributary mcp operations --url https://graph.example.com/graphql --port 4200',
)}`,
    )
    .action((documents, flags) =>
      runCommand(async () => (await import('./mcp.ts')).runMcp(documents, flags)),
    );
}
