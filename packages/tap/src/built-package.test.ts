/**
 * The package as it is published: built into a separate folder, loaded by both module systems, by this Node and by every other
 * Node from 18 on the PATH, by a strict compiler, and in a realm that has next to no globals. It has no dependencies and stays small.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script, createContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { runHost } from './test-support/host.ts';
import { startIngestionServer } from './test-support/ingestion-server.ts';
import { version } from './version.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const project = mkdtempSync(join(tmpdir(), 'tap-package-'));
after(() => rmSync(project, { recursive: true, force: true }));

/** Installed as npm would install it, without the download. */
const installed = join(project, 'node_modules/@metergate/tap');
mkdirSync(installed, { recursive: true });
for (const file of ['package.json', 'README.md']) cpSync(join(root, file), join(installed, file));
execFileSync(process.execPath, [join(root, 'build.mjs'), '--out', join(installed, 'dist')], { stdio: 'pipe' });
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;

const modules = [
  { name: 'ESM', commonJs: false, tap: pathToFileURL(join(installed, 'dist/esm/tap.js')).href },
  { name: 'CommonJS', commonJs: true, tap: join(installed, 'dist/cjs/tap.js') },
];

/** This Node and one of each other version on the PATH, from 18 on. */
function nodes(): Map<string, string> {
  const found = new Map([[process.version, process.execPath]]);
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, process.platform === 'win32' ? 'node.exe' : 'node');
    if (folder === '' || !existsSync(path)) continue;
    const name = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim();
    if (Number(name.slice(1).split('.')[0]) >= 18 && !found.has(name)) found.set(name, path);
  }
  return found;
}

const hosts = [...nodes()].flatMap(([name, node]) => modules.map((module) => ({ name, node, module })));

describe('the package', { concurrency: 2 }, () => {
  for (const { name, node, module } of hosts) {
    test(`${module.name} on Node ${name}: reports at a normal end, at process.exit and at the interval, prints in inspect mode`, async () => {
      const server = await startIngestionServer();
      try {
        const env = { SVC_TAP_KEY: 'svc_tap_test', SVC_TAP_ENDPOINT: server.url };
        for (const end of ['', 'process.exit(3)', 'await later(2500); process.exit(3)']) {
          const before = server.ids().length;
          const ended = await runHost(`tap(client, 't'); await call(2); ${end}`, { ...module, env, node });
          assert.deepEqual([ended.code, ended.stdout, ended.stderr], [end === '' ? 0 : 3, '', '']);
          // A post whose answer is late is retried; the server counts each id once.
          assert.deepEqual([...new Set(server.ids().slice(before))], ['call_1', 'call_2']);
        }
        const inspected = await runHost(`tap(client, 't', { inspect: true }); await call(2);`, { ...module, env, node });
        assert.match(inspected.stderr, /^metergate-tap: [^\n]*\n\{"events":\[\{"schema":"svc-tap-v1",[^\n]*\]\}\n$/);
        assert.equal(server.posts[0]!.headers['user-agent'], `metergate-tap/${version}`);
      } finally {
        server.close();
      }
    });
  }
});

test('the package is found by its name, by import and by require', () => {
  const find = (source: string, kind: string): string => execFileSync(process.execPath, [`--input-type=${kind}`, '--eval', source], {
    cwd: project, encoding: 'utf8',
  });
  assert.equal(find(`import { tap } from '@metergate/tap'; console.log(typeof tap);`, 'module'), 'function\n');
  assert.equal(find(`console.log(typeof require('@metergate/tap').tap);`, 'commonjs'), 'function\n');
});

test('its types serve both module systems under a strict compiler, and name no other package', () => {
  const use = `import { tap, type TapOptions } from '@metergate/tap';
    const options: TapOptions = { key: 'k', endpoint: 'e', inspect: true };
    class Client { readonly name = 'c'; }
    const client: Client = tap(new Client(), 'unit', options);
    // @ts-expect-error the tag is required
    tap(client);
    console.log(client);`;
  for (const ending of ['mts', 'cts']) writeFileSync(join(project, `use.${ending}`), use);
  const compilerOptions = {
    target: 'es2022', lib: ['es2022', 'dom'], module: 'nodenext', strict: true, noEmit: true, types: [], exactOptionalPropertyTypes: true,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.mts', 'use.cts'] }));
  const compiler = join(require.resolve('typescript/package.json'), '../bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', project], { stdio: 'pipe', encoding: 'utf8' });
  for (const file of globSync('dist/**/*.{js,d.ts}', { cwd: installed })) {
    const text = readFileSync(join(installed, file), 'utf8');
    const names = [...text.matchAll(/(?:from\s+|import\(|require\()['"]([^'"]+)['"]/g)].map(([, name]) => name!);
    assert.deepEqual(names.filter((name) => !name.startsWith('./') && !name.startsWith('../') && name !== 'worker_threads'), [], file);
  }
});

test('it has no dependencies, and publishes only the built files and its README', () => {
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies']) {
    assert.equal(manifest[kind], undefined, kind);
  }
  assert.deepEqual(manifest['files'], ['dist', 'README.md']);
  assert.equal(manifest['version'], version);
});

/** The whole package as one minified script. */
function minified(format: 'esm' | 'iife'): string {
  const esbuild = join(require.resolve('esbuild/package.json'), '../bin/esbuild');
  const flags = ['--bundle', '--minify', `--format=${format}`, '--platform=neutral', '--global-name=tapPackage'];
  return execFileSync(esbuild, [join(installed, 'dist/esm/tap.js'), ...flags], { encoding: 'utf8' });
}

test('it stays small: under 20 KB minified, under 9 KB compressed', () => {
  const text = minified('esm');
  assert.ok(text.length <= 20_480, `${text.length} bytes`);
  assert.ok(gzipSync(text).length <= 9_216, `${gzipSync(text).length} bytes compressed`);
});

test('in a realm without process, timers, fetch or crypto it loads, and the client works as before', async () => {
  const lines: string[] = [];
  const context = createContext({ console: { error: (line: string) => lines.push(line) } });
  new Script(minified('iife')).runInContext(context);
  const result = await (new Script(`const create = async () => ({ id: 'a', model: 'm', choices: [], usage: {} });
    const client = { chat: { completions: { create } } };
    tapPackage.tap(client, 't', { key: 'k' }) === client && client.chat.completions.create({})`).runInContext(context) as Promise<{ id: string }>);
  assert.equal(result.id, 'a');
  assert.deepEqual(lines, ['metergate-tap: this runtime has no sockets to post by: nothing is reported.']);
});
