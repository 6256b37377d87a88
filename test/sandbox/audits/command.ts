import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { reasonOf, runAudit } from './audit.ts';
import { audits } from './audits.ts';
import type { Dialect, Target, Upstream } from './upstream.ts';
import { connect, standardRoute } from './upstream.ts';

/** Where lines go; none ever holds the token. */
export interface Output {
  tell(line: string): void;
  complain(line: string): void;
}

interface Arguments extends Target {
  readonly hasWrites: boolean;
}

/**
 * Audits the upstream that the arguments name and tells the outcome of each rule. Resolves to the
 * exit code: 0 when no rule is broken, 1 when one is or nothing can be read, 2 for wrong arguments.
 */
export async function audit(args: readonly string[], output: Output): Promise<number> {
  const target = readArguments(args, output);
  if (typeof target === 'number') return target;
  const hide = (line: string) => line.replaceAll(target.token, '…');
  try {
    return await tellAll(await connect(target), target, (line) => output.tell(hide(line)));
  } catch (error) {
    output.complain(hide(`Nothing can be audited at ${target.url}: ${reasonOf(error)}`));
    return 1;
  }
}

async function tellAll(upstream: Upstream, target: Arguments, tell: (line: string) => void): Promise<number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const one of audits) {
    if (!one.dialects.includes(target.dialect)) continue;
    if (target.route !== standardRoute && !one.isOfEveryRoute) continue;
    const outcome =
      one.isWrite && !target.hasWrites
        ? { kind: 'skipped' as const, why: 'it writes, which takes --writes' }
        : await runAudit(one, upstream);
    counts[outcome.kind] += 1;
    const line = `${outcome.kind.padEnd(7)}  ${one.id.padEnd(12)}  ${one.title}`;
    tell('why' in outcome ? `${line}: ${outcome.why}` : line);
  }
  tell(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed === 0 ? 0 : 1;
}

/** The arguments, or the exit code where they are wrong or only help was asked for. */
function readArguments(args: readonly string[], output: Output): Arguments | number {
  const command: Command = new Command('npm run audit --')
    .description(
      'Tells which rules of the business records API an upstream keeps. Reads only, without --writes.',
    )
    .requiredOption('--url <address>', 'base URL of the service, without /api/{route}', readUrl)
    .option(
      '--route <route>',
      'v2.0, or {publisher}/{group}/{version} of another API',
      readRoute,
      standardRoute,
    )
    .option('--token <token>', 'a bearer token')
    .addOption(new Option('--token-file <file>', 'a file that holds it').conflicts('token'))
    .option('--company <guid>', 'the company to look at; the first one when left out', readGuid)
    .addOption(
      new Option('--dialect <dialect>', 'as the document or as the real service')
        .choices(['document', 'dynamics'])
        .default('document'),
    )
    .option('--writes', 'also change records, and put them back; orders are created', false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.tell(text.trimEnd()),
      writeErr: (text) => output.complain(text.trimEnd()),
    });
  try {
    const given = command.parse(args, { from: 'user' }).opts<{
      url: string;
      route: string;
      token?: string;
      tokenFile?: string;
      company?: string;
      dialect: Dialect;
      writes: boolean;
    }>();
    const token = (given.tokenFile === undefined ? given.token : readToken(command, given.tokenFile))?.trim();
    if (!token) command.error("error: '--token' or '--token-file' must give a token");
    const { url, route, company, dialect, writes: hasWrites } = given;
    return { url, route, token, dialect, hasWrites, ...(company === undefined ? {} : { company }) };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search !== '')
    throw new InvalidArgumentError('An http or https address is expected.');
  return url.href.replace(/\/+$/, '');
}

function readRoute(text: string): string {
  if (/^(?:[A-Za-z0-9][\w.-]*\/){0,2}v\d+\.\d+$/.test(text)) return text;
  throw new InvalidArgumentError('v2.0 or {publisher}/{group}/{version} is expected.');
}

function readGuid(text: string): string {
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('A GUID is expected.');
}

function readToken(command: Command, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return command.error(`error: '--token-file' cannot be read: ${reasonOf(error)}`);
  }
}
