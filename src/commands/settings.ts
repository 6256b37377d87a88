import { formatSettingsPage } from '../config/settings-page.ts';

/** Prints every setting, as `docs/settings.md` has them. */
export async function runSettings(): Promise<void> {
  process.stdout.write(formatSettingsPage());
}
