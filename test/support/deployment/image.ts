import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Copy, DockerfileParser } from 'dockerfile-ast';
import { startProcess } from '../process.ts';
import { endWithTest } from '../runner/end-with-test.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

type Dockerfile = ReturnType<typeof DockerfileParser.parse>;

/**
 * Follows the Dockerfile without a container engine: each stage is a folder, COPY copies from the project as .dockerignore lets
 * it, and RUN runs. Only what npm would download is linked to the project's packages. Throws at an instruction it does not know.
 */
export async function buildImage(dockerfile: Dockerfile) {
  const base = mkdtempSync(join(tmpdir(), 'tributary-image-'));
  endWithTest(() => rmSync(base, { recursive: true }));
  const stages = new Map<string, string>();
  const started: Record<'ENTRYPOINT' | 'CMD' | 'HEALTHCHECK', readonly string[]> = {
    ENTRYPOINT: [],
    CMD: [],
    HEALTHCHECK: [],
  };
  const ran: string[] = [];
  let filesystem = base;
  let workdir = base;

  for (const instruction of dockerfile.getInstructions()) {
    const keyword = instruction.getKeyword();
    const given = instruction.getArgumentsContent() ?? '';
    switch (keyword) {
      case 'FROM': {
        const [, name = 'last'] = / AS (\w+)$/.exec(given) ?? [];
        filesystem = join(base, name);
        stages.set(name, filesystem);
        break;
      }
      case 'WORKDIR':
        workdir = join(filesystem, given);
        mkdirSync(workdir, { recursive: true });
        break;
      case 'COPY': {
        const stage = (instruction as Copy).getFromFlag()?.getValue();
        const sources = given.split(' ');
        const to = sources.pop() ?? '';
        for (const source of sources) {
          const target = to.endsWith('/') ? join(workdir, to, basename(source)) : join(workdir, to);
          if (stage)
            cpSync(join(stages.get(stage) ?? '', source), target, {
              recursive: true,
              verbatimSymlinks: true,
            });
          else cpSync(join(root, source), target, { recursive: true, filter: isInContext });
        }
        break;
      }
      case 'RUN':
        for (const command of given.split(' && ')) {
          ran.push(command);
          await run(command, workdir);
        }
        break;
      case 'ENTRYPOINT':
      case 'CMD':
      case 'HEALTHCHECK':
        started[keyword] = JSON.parse(/\[.*\]$/.exec(given)?.[0] ?? '[]');
        break;
      case 'ARG':
      case 'ENV':
      case 'USER':
      case 'EXPOSE':
      case 'STOPSIGNAL':
        break;
      default:
        throw new Error(`The test cannot follow ${keyword}.`);
    }
  }
  return {
    workdir,
    entrypoint: started.ENTRYPOINT,
    cmd: started.CMD,
    healthcheck: started.HEALTHCHECK,
    ran,
  };
}

const ignored = textOf('.dockerignore')
  .split('\n')
  .filter((line) => /^[^#!*]/.test(line))
  .map((line) => resolve(root, line));

const isInContext = (path: string) => !ignored.includes(resolve(path));

async function run(command: string, workdir: string): Promise<void> {
  if (command === 'npm ci --ignore-scripts') return linkPackages(workdir, { isProduction: false });
  if (command === 'npm prune --omit=dev --ignore-scripts') {
    rmSync(join(workdir, 'node_modules'), { recursive: true });
    return linkPackages(workdir, { isProduction: true });
  }
  const { code, stdout, stderr } = await startProcess('sh', ['-c', command], {}, workdir).ended;
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${stdout}${stderr}`);
}

/** The packages of an installation, by links: with `--preserve-symlinks`, each finds others as if it were copied. */
export function linkPackages(folder: string, { isProduction }: { readonly isProduction: boolean }): void {
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { dev?: true }>;
  };
  const places = Object.entries(packages)
    .filter(([place, { dev }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(place) && !(isProduction && dev))
    .map(([place]) => place);
  if (!isProduction) places.push('node_modules/.bin');
  for (const place of places) {
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    symlinkSync(join(root, place), join(folder, place));
  }
}
