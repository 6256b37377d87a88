import type { Command } from 'commander';
import { runCommand } from './run-command.ts';

const addExamples = `
In a checkout it writes schema/records, the sandbox's set and the row of docs/record-types.md; elsewhere use --json.
Exit codes: 0 all is as the metadata says or was written, 1 something differs and was not written, 2 wrong arguments.

Examples:
  tributary add vendors --metadata metadata.xml
  tributary add vendors contacts --url https://api.example.com --token-file token.txt --probe
  tributary add vendors --url https://api.example.com/api/v2.0 --token-file token.txt --json --out records
  tributary add vendors --metadata metadata.xml --update --dry-run`;

/** Declares `tributary add` with its arguments. */
export function declareAdd(program: Command): void {
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
      runCommand(async () => (await import('./add.ts')).runAdd({ entitySets, ...options })),
    );
}
