/**
 * Builds the package: two runs of the TypeScript compiler, one for each module system, with types. Nothing is bundled or minified.
 * `node build.mjs [--out FOLDER] [--if-possible]`: into `dist` beside this file by default; with `--if-possible`, an installation
 * without development dependencies, or without the sources, is left as it is.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The declarations that the entry reaches. */
const published = ['tap.d.ts', 'settings.d.ts'];
const here = dirname(fileURLToPath(import.meta.url));
const args = process.argv.slice(2);
const out = resolve(args.includes('--out') ? args[args.indexOf('--out') + 1] : join(here, 'dist'));
const compiler = compilerPath();

try {
  if (compiler === null || !existsSync(join(here, 'src'))) throw new Error('The TypeScript compiler and the sources are needed to build.');
  build();
} catch (error) {
  if (!args.includes('--if-possible')) throw error;
  process.stdout.write(`@metergate/tap is not built: ${error.message}\n`);
}

function build() {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const version = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).version;
  if (!readFileSync(join(here, 'src/version.ts'), 'utf8').includes(`'${version}'`)) throw new Error('src/version.ts names another version.');
  emit('esm', 'esnext', 'module');
  emit('cjs', 'commonjs', 'commonjs');
}

/** One run of the compiler, and the file that tells Node and TypeScript which module system the folder holds. */
function emit(folder, module, type) {
  const settings = join(out, `tsconfig.${folder}.json`);
  writeFileSync(settings, JSON.stringify({
    compilerOptions: {
      target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], module, moduleResolution: 'bundler', types: ['node'],
      typeRoots: [typeRoots()], strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: true,
      rewriteRelativeImportExtensions: true, declaration: true, removeComments: false, noEmitHelpers: true,
      rootDir: join(here, 'src'), outDir: join(out, folder),
    },
    files: [join(here, 'src/tap.ts')],
  }));
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', settings], { encoding: 'utf8' });
  rmSync(settings);
  if (status !== 0) throw new Error(`The compiler refuses the ${folder} build:\n${stdout}${stderr}`);
  for (const file of readdirSync(join(out, folder), { recursive: true, encoding: 'utf8' })) mend(join(out, folder, file), file);
  writeFileSync(join(out, folder, 'package.json'), `${JSON.stringify({ type })}\n`);
}

/** What remains to be done in one file that the compiler wrote. */
function mend(path, file) {
  // Only what the entry's types name is published: no types of Node or of another package are among them.
  if (file.endsWith('.d.ts') && !published.includes(file)) return rmSync(path);
  if (!/\.(js|d\.ts)$/.test(file)) return;
  const text = readFileSync(path, 'utf8')
    .replace(/(from ['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2')
    // Modules imported by a name made at run time are Node's own: their names have no file ending to rewrite.
    .replaceAll(/__rewriteRelativeImportExtension|__importStar/g, '');
  if (/\b__(?!esModule)\w+\(/.test(text)) throw new Error(`The ${file} that the compiler made needs a helper that is not there.`);
  writeFileSync(path, text);
}

function compilerPath() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  } catch {
    return null;
  }
}

/** Where `@types/node` is, also if the build goes to another folder. */
function typeRoots() {
  return dirname(dirname(createRequire(import.meta.url).resolve('@types/node/package.json')));
}
