import type { z } from 'zod';
import { lowerCaseSettings, secretSettings } from './setting-names.ts';
import { settingGroups } from './settings.ts';

const list = (names: Iterable<string>) => [...names].map((name) => `\`${name}\``).join(', ');

const introduction = `# Settings

Settings are environment variables or lines of a file \`.env\` in the working directory ([example](../.env.example)); the environment counts before the file, \`--port\` before both.

An invalid setting stops the start with exit code 2 and a message. So does a variable that looks like a setting and is none, such as \`BUSINESS_ULR\`. Paths are relative to the working directory.

| command | what it does |
|---|---|
| \`tributary check\` | Judges the settings as \`serve\` would (\`--dev\`: as \`dev\` would), prints those that are set with their sources (\`--all\`: the others, too), and warns of what is probably not meant. Secrets are hidden. |
| \`tributary check --connect\` | Also tries each upstream, token endpoint, key set and Redis, for 3 s at most, without a caller's token: an upstream that responds with 401 is reachable. Exit code 1 if something cannot be used. |
| \`tributary settings\` | Prints this page. |

- An empty variable counts as unset; only an empty \`MANAGEMENT_SCOPES\` is a value.
- With \`_FILE\` behind its name, a variable names a file that holds the value: ${list(secretSettings)}.
- Of these, the name in lower case is read as well, and first: ${list(lowerCaseSettings)}.
- \`–\` as a default means unset.
- In \`.env\`, a value with \`#\` stands in quotes, and \`NODE_*\`, \`UV_*\` and \`SSL_CERT_*\` have no effect.
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
