import { z } from 'zod';
import { secretSettings } from './setting-names.ts';
import { settingsSchema } from './settings.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema of a file of settings, for editors: each name whole, and after its first word. */
export function createSettingsJsonSchema(): JsonSchema {
  const { properties = {} } = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });
  const whole: Record<string, JsonSchema> = {};
  const groups: Record<string, Record<string, JsonSchema>> = {};
  const add = (variable: string, schema: JsonSchema) => {
    const name = variable.toLowerCase();
    whole[name] = schema;
    const [, group = '', rest = ''] = /^([a-z]+)_(.+)$/.exec(name) ?? [];
    if (rest === '') return;
    groups[group] = { ...groups[group], [rest]: schema };
  };
  for (const [variable, property] of Object.entries(properties)) {
    add(variable, toFileSchema(property as JsonSchema));
    if (secretSettings.has(variable))
      add(`${variable}_FILE`, { type: 'string', description: `File that holds ${variable}.` });
  }
  const nested = Object.entries(groups).map(([group, members]) => [
    group,
    { type: ['object', 'null'], properties: members },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of Tributary',
    type: 'object',
    additionalProperties: false,
    properties: { ...Object.fromEntries(nested), ...whole },
  };
}

// A variable is always a text; in a file a number, a truth value or a list becomes one.
function toFileSchema({ description, default: usual, examples, enum: words }: JsonSchema): JsonSchema {
  const isSwitch = Array.isArray(words) && words.join() === 'on,off';
  return {
    description,
    ...(usual !== undefined && { default: usual }),
    ...(examples !== undefined && { examples }),
    ...(Array.isArray(words)
      ? { enum: [...words, ...(isSwitch ? [true, false] : []), null] }
      : { type: ['string', 'number', 'array', 'null'] }),
  };
}
