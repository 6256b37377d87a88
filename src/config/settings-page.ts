import type { z } from 'zod';
import { lowerCaseSettings, secretSettings } from './setting-names.ts';
import { settingGroups } from './settings.ts';

const list = (names: Iterable<string>) => [...names].map((name) => `\`${name}\``).join(', ');

const introduction = `# Settings

Settings are environment variables, lines of a file \`.env\` in the working directory ([example](../.env.example)), or names in [tributary.yaml](#tributaryyaml). The first of these that has a setting counts, and \`--port\` before them. Areas A, B and C are those of the [README](../README.md).

An invalid setting stops the start with exit code 2 and a message. So does a name in a file that is no setting, and a variable that looks like a setting and is none, such as \`BUSINESS_ULR\`.

| command | what it does |
|---|---|
| \`tributary check\` | Judges the settings as \`serve\` would and prints each with its source, secrets hidden. With \`--dev\`: as \`dev\` would. |
| \`tributary check --connect\` | Also tries each upstream, token endpoint, key set and Redis, for 3 s at most. No caller's token is needed: an upstream that responds with 401 is reachable. Exit code 1 if something cannot be used. |
| \`tributary settings\` | Prints this page, with \`--json-schema\` the JSON Schema of \`tributary.yaml\`. |

- An empty variable counts as unset, except \`MANAGEMENT_SCOPES\`.
- With \`_FILE\` behind its name, a variable names a file that holds the value: ${list(secretSettings)}.
- The lower-case name comes first, as in other programs: ${list(lowerCaseSettings)}.
- \`–\` as a default means unset.

## tributary.yaml

Every command but \`add\` reads \`tributary.yaml\` in the working directory where there is one, or the file of \`--config\`. A name is that of the variable in lower case, whole or in parts at its underscores. \`true\` and \`false\` are \`on\` and \`off\`, a list is its items with commas between them, an empty value is unset:

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

\`tributary settings --json-schema > tributary.schema.json\` lets an editor complete and check the names.
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
