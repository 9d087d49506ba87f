/**
 * Makes the `metergate` package for npm: `npm run package [-- FOLDER]`, then `npm pack` in that folder (default: build/npm). Node strips types
 * from no file below `node_modules`, so here it is done once: every source becomes plain JavaScript with the same lines, our own packages
 * lie inside under `lib`, and the dashboard's built pages come along. Nothing is bundled or made smaller: a stack trace names our files.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const shipped = ['core', 'store', 'gateway', 'platform', 'sandbox', 'cli'] as const;

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const out = resolve(process.argv[2] ?? join(root, 'build/npm'));
rmSync(out, { recursive: true, force: true });
const pages = join(root, 'packages/dashboard/dist');
if (!existsSync(join(pages, 'index.html'))) throw new Error('The dashboard is not built: run npm ci, or npm run build -w packages/dashboard.');
for (const name of shipped) shipPackage(name);
cpSync(pages, join(out, 'lib/dashboard/dist'), { recursive: true });
cpSync(join(root, 'packages/dashboard/package.json'), join(out, 'lib/dashboard/package.json'));
cpSync(join(root, 'README.md'), join(out, 'README.md'));
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
process.stdout.write(`${out}\n`);

function shipPackage(name: string): void {
  const from = join(root, 'packages', name);
  for (const folder of ['src', 'bin', 'price-list'].filter((each) => existsSync(join(from, each)))) shipFolder(join(from, folder), name);
  writeFileSync(join(made(join(out, 'lib', name)), 'package.json'), `${JSON.stringify({ type: 'module', version: manifestOf(name).version })}\n`);
}

function shipFolder(folder: string, name: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'test-support') shipFolder(path, name);
    } else if (!/\.test\.ts$|\.sql$|\.md$/.test(entry.name)) shipFile(path, name);
  }
}

function shipFile(path: string, name: string): void {
  const inside = relative(join(root, 'packages', name), path);
  const target = join(out, 'lib', name, inside.replace(/\.ts$/, '.js'));
  made(dirname(target));
  if (!/\.(?:ts|mjs)$/.test(path)) return cpSync(path, target);
  const text = readFileSync(path, 'utf8');
  const plain = path.endsWith('.ts') ? stripTypeScriptTypes(text).replaceAll(/[ \t]+$/gm, '') : text;
  writeFileSync(target, withPlainNames(plain, dirname(join('lib', name, inside))), { mode: /^bin\/[^/]+\.mjs$/.test(inside) ? 0o755 : 0o644 });
}

/** Names of our own files in quotes, `./x.ts` and `@metergate/core/x.ts`, as they lie in the package. `folder`: whose they are. */
function withPlainNames(text: string, folder: string): string {
  return text.replaceAll(/(['"])((?:\.{1,2}|@metergate)\/[^'"\s]+?)\1/g, (all, quote: string, specifier: string) => {
    const [, name, rest] = /^@metergate\/([a-z]+)\/(.+)$/.exec(specifier) ?? [];
    if (name === undefined) return specifier.endsWith('.ts') ? `${quote}${specifier.slice(0, -3)}.js${quote}` : all;
    const path = relative(folder, join('lib', name, rest === 'package.json' ? rest : join('src', rest!.replace(/\.ts$/, '.js'))));
    return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
  });
}

function manifest(): Record<string, unknown> {
  const whole = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const { version } = manifestOf('cli');
  const dependencies = Object.fromEntries(shipped.flatMap((name) => Object.entries(manifestOf(name).dependencies ?? {}))
    .filter(([name]) => !name.startsWith('@metergate/')).sort(([one], [other]) => (one < other ? -1 : 1)));
  return {
    name: 'metergate', version, description: whole.description, license: whole.license, type: 'module', engines: { node: '>=20' },
    bin: { metergate: 'lib/cli/bin/metergate.mjs' }, files: ['lib'], dependencies, optionalDependencies: whole.optionalDependencies,
  };
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}

function made(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}
