import { createSettingsJsonSchema } from '../config/settings-json-schema.ts';
import { formatSettingsPage } from '../config/settings-page.ts';

/** Prints every setting, as `docs/settings.md` has them, or the JSON Schema of a file of settings. */
export async function runSettings({ jsonSchema }: { readonly jsonSchema?: boolean }): Promise<void> {
  process.stdout.write(
    jsonSchema ? `${JSON.stringify(createSettingsJsonSchema(), null, 2)}\n` : formatSettingsPage(),
  );
}
