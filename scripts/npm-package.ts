/**
 * Makes the `metergate` package for npm: `npm run package [-- FOLDER]`, then `npm pack` in that folder (default: build/npm). It holds the built
 * server with everything it depends on, the launcher and the dashboard's built pages, laid out under `lib` as in the workspace. Its only
 * dependency is the npm package of Node. A stack trace names the function, a file of the package and a line; the source is named above that line.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const out = resolve(process.argv[2] ?? join(root, 'build/npm'));
rmSync(out, { recursive: true, force: true });
const pages = join(root, 'packages/dashboard/dist');
if (!existsSync(join(pages, 'index.html'))) throw new Error('The dashboard is not built: run npm ci, or npm run build -w packages/dashboard.');
mkdirSync(join(out, 'lib/cli'), { recursive: true });
for (const part of ['cli/bin', 'cli/src/config/runtime-floor.json', 'dashboard/dist', 'dashboard/package.json']) {
  cpSync(join(root, 'packages', part), join(out, 'lib', part), { recursive: true });
}
writeFileSync(join(out, 'lib/cli/package.json'), `${JSON.stringify({ type: 'module', version: manifestOf('cli').version })}\n`);
cpSync(join(root, 'README.md'), join(out, 'README.md'));
const build = [join(root, 'packages/cli/build.mjs'), '--out', join(out, 'lib/cli/dist')];
execFileSync(process.execPath, build, { stdio: ['ignore', 'ignore', 'inherit'] });
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
process.stdout.write(`${out}\n`);

function manifest(): Record<string, unknown> {
  const whole = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const { version } = manifestOf('cli');
  return {
    name: 'metergate', version, description: whole.description, license: whole.license, type: 'module', engines: { node: '>=20' },
    bin: { metergate: 'lib/cli/bin/metergate.mjs' }, files: ['lib'], optionalDependencies: whole.optionalDependencies,
  };
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}
