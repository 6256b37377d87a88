import { type Config, readConfig } from '../../src/config/config.ts';
import { constants } from '../../src/config/constants.ts';

type Given = Readonly<Record<string, string | undefined>>;

/** The settings of a test, and the constants that it replaces, both as text. */
export function splitConstants(given: Given) {
  const isConstant = ([name]: readonly [string, unknown]) => name in constants;
  const replaced = Object.entries(given).filter((entry) => isConstant(entry) && entry[1] !== undefined);
  return {
    settings: Object.fromEntries(Object.entries(given).filter((entry) => !isConstant(entry))),
    constants: Object.fromEntries(
      replaced.map(([name, text = '']) => [name, /^(\d+$|\{)/.test(text) ? JSON.parse(text) : text]),
    ) as Partial<Config>,
  };
}

/** Reads settings as `readConfig` does, with constants replaced by those given among them. */
export function readTestConfig(given: Given, readFile: (path: string) => string = () => ''): Config {
  const { settings, constants: replaced } = splitConstants(given);
  return { ...readConfig(settings, readFile), ...replaced };
}

const built = new URL('../../dist/config/constants.js', import.meta.url);

/** Arguments of Node.js that replace constants in the built program. */
export const replaceConstants = (replaced: Partial<Config>): readonly string[] =>
  Object.keys(replaced).length === 0
    ? []
    : [
        '--import',
        `data:text/javascript,${encodeURIComponent(
          `import { constants } from ${JSON.stringify(built.href)}; Object.assign(constants, ${JSON.stringify(replaced)});`,
        )}`,
      ];
