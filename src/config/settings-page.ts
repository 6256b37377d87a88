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

/** Formats `docs/settings.md`: all settings as Markdown, with a table for each group. */
export function formatSettingsPage(): string {
  const sections = settingGroups.map(({ title, settings }) => {
    const rows = Object.entries(settings).map(([name, rule]) => formatRow(name, rule));
    return `\n## ${title}\n\n| setting | value | default | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return introduction + sections.join('');
}

export const listExamples = (rule: z.ZodType) => (rule.meta()?.examples ?? []) as readonly string[];

const defaultPattern = / ?Default: ([^.:]+)\./;

/** Formats the default of a setting as Markdown. */
export function describeDefault(rule: z.ZodType): string {
  // A description may state a default that depends on the command or on another setting, and is not in the schema.
  const [, described] = defaultPattern.exec(rule.description ?? '') ?? [];
  const { data } = rule.safeParse(undefined);
  const value = String(data ?? '');
  return described ?? (value === '' ? '–' : `\`${value}\``);
}

function formatRow(name: string, rule: z.ZodType): string {
  const description = rule.description ?? '';
  const examples = listExamples(rule);
  const exampleText =
    examples.length > 0 ? ` Example: ${examples.map((text) => `\`${text}\``).join(' or ')}` : '';
  const cells = [
    `\`${name}\``,
    describeValues(rule),
    describeDefault(rule),
    description.replace(defaultPattern, '') + exampleText,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

// Every setting rejects at least one of these values, unless it accepts any text.
const unusualValues = ['http://host.example', '\0', '', ',', 'x'.repeat(300)];

/** Describes the valid values of a setting by the message for an invalid one. */
function describeValues(rule: z.ZodType): string {
  for (const value of unusualValues) {
    const [issue] = rule.safeParse(value).error?.issues ?? [];
    if (issue) return issue.message;
  }
  return 'text';
}
