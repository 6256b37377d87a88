import type { z } from 'zod';
import { lowerCaseSettings, secretSettings } from './setting-names.ts';
import { settingGroups } from './settings.ts';

const list = (names: Iterable<string>) => [...names].map((name) => `\`${name}\``).join(', ');

const introduction = `# Settings

Settings are environment variables, lines of a file \`.env\` in the working directory ([example](../.env.example)), or names in [tributary.yaml](#tributaryyaml). Where a setting stands in several of these, the first counts; \`--port\` comes before all of them. Areas A, B and C are those of the [README](../README.md).

An invalid setting stops the start with exit code 2 and a message, which begins with the place of the setting unless that is the environment. So does a name in a file that is no setting, and a variable that looks like a setting and is none, such as \`BUSINESS_ULR\` or \`JWT_ISSUER_FILE\`; one that is less like a setting, such as \`PORTS\`, is a warning.

| command | what it does |
|---|---|
| \`tributary check\` | Judges the settings as \`serve\` would and prints each with its source. Secrets are hidden, and in queries of URLs all values but that of \`tenant\`. With \`--dev\`: as \`dev\` would. Warns of trusted documents that are invalid, and with \`MCP\` of trusted queries and mutations that become no tool, with the reason. |
| \`tributary check --connect\` | Also tries the ports, with \`--dev\` also the sandbox's where it would start, each upstream, token endpoint, key set, Redis and the trace collector, for 3 s at most. Ports are in use while a server with these settings runs. No caller's token is needed: an upstream that responds with 401 is reachable, and one that has no list of companies or subscriptions (404, a page) is no upstream. Exit code 1 if something cannot be used. |
| \`tributary settings\` | Prints this page, with \`--json-schema\` the JSON Schema of \`tributary.yaml\`. |

- An empty variable counts as unset: a value of \`.env\` or \`tributary.yaml\` counts then. Only an empty \`MANAGEMENT_SCOPES\` is a value, and means no scopes.
- With \`_FILE\` behind its name, a variable names a file that holds the value, and counts before the variable itself where one source has both: ${list(secretSettings)}.
- Of these, the name in lower case is read as well, and counts where both are set, as in other programs: ${list(lowerCaseSettings)}.
- \`–\` as a default means unset.

## .env

Lines \`NAME=value\`, which \`export\` may precede and in which blanks may stand around \`=\`, empty lines, and comments, which begin with \`#\`. A blank and \`#\` behind a value begin a comment; a value that has \`#\` itself, or blanks at its ends, stands in quotes (\`"…"\`, \`'…'\`) on one line. In double quotes \`\\n\` is a line break; there are no other escapes, and no variables in values. Any other line stops the start, and so does a name that stands twice. \`TZ\` and [what the exporter of traces reads](observability.md#traces) may stand there, too; \`NODE_*\`, \`UV_*\` and \`SSL_CERT_*\` stop the start: Node.js reads them earlier, from the environment alone.

## tributary.yaml

Every command but \`add\` and \`settings\` reads \`tributary.yaml\` in the working directory where there is one, or the file of \`--config\`. A name is that of the variable in lower case, whole or in parts at its underscores; upper case, and hyphens for underscores, are taken too. \`true\` and \`false\` are \`on\` and \`off\`, settings with values between commas may be lists, an empty value is unset (but \`management_scopes: ""\` and \`[]\` mean no scopes). Aliases, merge keys and tags of YAML are not supported:

\`\`\`yaml
# yaml-language-server: $schema=tributary.schema.json
port: 8080
business:
  url: https://business.example.com/v2.0/production
  client_secret_file: /run/secrets/business
max:
  cost: 10000
cors_origins: [https://app.example.com, https://admin.example.com]
\`\`\`

\`tributary settings --json-schema > tributary.schema.json\` lets an editor complete and check names and values.
`;

/** All settings as a page of Markdown, with one table for each group: `docs/settings.md`. */
export function formatSettingsPage(): string {
  const sections = settingGroups.map(({ title, settings }) => {
    const rows = Object.entries(settings).map(([name, rule]) => formatRow(name, rule));
    return `\n## ${title}\n\n| setting | value | default | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return introduction + sections.join('');
}

/** Examples of values, which stand in the metadata of the schema. */
export const listExamples = (rule: z.ZodType) => (rule.meta()?.examples ?? []) as readonly string[];

const defaultPattern = / ?Default: ([^.:]+)\./;

/** The default of a setting, in Markdown. */
export function describeDefault(rule: z.ZodType): string {
  // A default that is no value of the schema, because it depends on the command or another setting.
  const [, described] = defaultPattern.exec(rule.description ?? '') ?? [];
  const { data } = rule.safeParse(undefined);
  const usual = String(data ?? '');
  return described ?? (usual === '' ? '–' : `\`${usual}\``);
}

function formatRow(name: string, rule: z.ZodType): string {
  const description = rule.description ?? '';
  const examples = listExamples(rule);
  const shown = examples.length > 0 ? ` Example: ${examples.map((text) => `\`${text}\``).join(' or ')}` : '';
  const cells = [
    `\`${name}\``,
    describeValues(rule),
    describeDefault(rule),
    description.replace(defaultPattern, '') + shown,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

// Between them, every setting that does not take any text rejects one.
const unusualValues = ['http://host.example', '\0', '', ',', 'x'.repeat(300)];

/** Which values a setting takes: what its message for an invalid one says is expected. */
function describeValues(rule: z.ZodType): string {
  for (const value of unusualValues) {
    const [issue] = rule.safeParse(value).error?.issues ?? [];
    if (issue) return issue.message;
  }
  return 'text';
}
