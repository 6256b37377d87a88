import { z } from 'zod';
import { fileSettings, listSettings, secretSettings } from './setting-names.ts';
import { settingsSchema } from './settings.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of a file of settings, for editors: each name whole, and in parts at any of its underscores. It takes
 * what `check` takes, and refuses what a schema can.
 */
export function createSettingsJsonSchema(): JsonSchema {
  const { properties = {} } = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });
  const definitions: Record<string, JsonSchema> = {};
  for (const [variable, rule] of Object.entries(settingsSchema.shape)) {
    const name = variable.toLowerCase();
    definitions[name] = toFileSchema(rule, variable, properties[variable] as JsonSchema);
    if (secretSettings.has(variable))
      definitions[`${name}_file`] = { description: `File that holds ${variable}.`, type: ['string', 'null'] };
  }
  const names = Object.keys(definitions);
  const groups = new Set(names.flatMap(listGroups));
  for (const group of groups)
    definitions[group] = { ...createGroup(group, names, groups), type: ['object', 'null'] };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of Tributary',
    // Null is an empty file.
    type: ['object', 'null'],
    ...createGroup('', names, groups),
    $defs: definitions,
  };
}

/** `business_` and `business_token_` for `business_token_url`. */
const listGroups = (name: string): readonly string[] =>
  [...name.matchAll(/_/g)].map(({ index }) => name.slice(0, index + 1));

/** The names that can follow a group, each as a setting, a further group, or both. */
function createGroup(group: string, names: readonly string[], groups: ReadonlySet<string>): JsonSchema {
  const members = new Map<string, JsonSchema>();
  const reference = (name: string) => ({ $ref: `#/$defs/${name}` });
  for (const name of [...names, ...groups]) {
    const member = name.slice(group.length).replace(/_$/, '');
    if (!name.startsWith(group) || member === '') continue;
    const other = members.get(member);
    members.set(member, other === undefined ? reference(name) : { anyOf: [other, reference(name)] });
  }
  return {
    additionalProperties: false,
    properties: Object.fromEntries(members),
    patternProperties: Object.fromEntries(
      [...members].map(([member, schema]) => [toAnyCase(member), schema]),
    ),
  };
}

// But as it stands in `properties`: some validators refuse a name in both.
const toAnyCase = (name: string) =>
  `^(?!${name}$)${name.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`).replaceAll('_', '[-_]')}$`;

// A variable is always a text; in a file a number, a truth value or a list becomes one, and an empty text is unset.
function toFileSchema(
  rule: z.ZodType,
  variable: string,
  { description, default: usual, examples, enum: words, ...text }: JsonSchema,
): JsonSchema {
  const takes = (value: string) => !fileSettings.has(variable) && rule.safeParse(value).success;
  const others = [null, '', ...(takes('on') ? [true] : []), ...(takes('off') ? [false] : [])];
  const alternatives: JsonSchema[] = Array.isArray(words)
    ? [{ enum: [...words, ...others] }]
    : [...listTexts(variable, text), { enum: others }];
  const range = findRange(text);
  if (takes(String(range.minimum ?? 1)) && !Array.isArray(words))
    alternatives.push({ type: takes('0.5') ? 'number' : 'integer', ...range });
  if (listSettings.has(variable))
    alternatives.push({ type: 'array', items: { type: ['string', 'number', 'boolean'] } });
  return {
    description,
    ...(usual !== undefined && { default: usual }),
    ...(examples !== undefined && { examples }),
    anyOf: alternatives,
  };
}

/** The texts that a rule takes, as far as patterns of all engines say it. */
function listTexts(variable: string, { pattern, anyOf, const: word }: JsonSchema): JsonSchema[] {
  if (Array.isArray(anyOf)) return anyOf.flatMap((one: JsonSchema) => listTexts(variable, one));
  if (word !== undefined) return [{ const: word }];
  const isUsable = typeof pattern === 'string' && !pattern.includes('\\p') && !fileSettings.has(variable);
  return [{ type: 'string', ...(isUsable && { pattern }) }];
}

function findRange({ minimum, maximum, anyOf }: JsonSchema): JsonSchema {
  if (Array.isArray(anyOf)) return anyOf.map(findRange).find((range) => 'minimum' in range) ?? {};
  return minimum === undefined ? {} : { minimum, maximum };
}
