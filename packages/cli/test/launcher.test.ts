/** Which Node runs the product, for every kind of machine; and that launcher and product agree on the floor. Rules: Processes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runtimeBelowFloor } from '../src/config/runtime-floor.ts';
import floors from '../src/config/runtime-floor.json' with { type: 'json' };

interface Chooser {
  chooseRuntime(machine: { version: string; execPath: string; bundledPath: string | null; floors: Record<string, string> }):
    { path: string } | { refusal: string };
  isAtFloor(version: string, floors: Record<string, string>): boolean;
}

const chooser = await import(new URL('../bin/choose-runtime.mjs', import.meta.url).href) as Chooser;

const rows: readonly (readonly [version: string, bundled: boolean, chosen: 'own' | 'bundled' | 'none'])[] = [
  ['24.22.1', true, 'own'], ['24.23.0', true, 'own'], ['24.22.0', true, 'bundled'], ['24.21.9', false, 'own'],
  ['26.12.1', true, 'own'], ['26.13.0', true, 'own'], ['26.12.0', true, 'bundled'], ['26.10.0', false, 'own'],
  ['27.0.0', true, 'own'], ['28.1.0', false, 'own'],
  ['25.99.0', true, 'bundled'], ['25.99.0', false, 'own'],
  ['22.23.4', true, 'bundled'], ['22.23.4', false, 'none'], ['20.20.2', true, 'bundled'], ['20.20.2', false, 'none'], ['18.0.0', false, 'none'],
];

test('a Node at the security floor is used, else the one that npm brought, else one that can run the product at all', () => {
  for (const [version, bundled, chosen] of rows) {
    const choice = chooser.chooseRuntime({ version, execPath: '/own/node', bundledPath: bundled ? '/bundled/node' : null, floors });
    const found = 'refusal' in choice ? 'none' : choice.path === '/own/node' ? 'own' : 'bundled';
    assert.equal(found, chosen, `${version}, ${bundled ? 'with' : 'without'} a bundled one`);
  }
});

test('without any usable Node the sentence names this one, the floor and what to do', () => {
  const choice = chooser.chooseRuntime({ version: '20.20.2', execPath: '/own/node', bundledPath: null, floors });
  assert.ok('refusal' in choice);
  assert.match(choice.refusal, /20\.20\.2.*npm ci/);
  assert.match(choice.refusal, /24\.22\.1 or 26\.12\.1/);
});

test('launcher and product agree on which Node is too old', () => {
  for (const [version] of rows) assert.equal(runtimeBelowFloor(version), !chooser.isAtFloor(version, floors), version);
});

test('if the system cannot load npm\'s Node, a sentence says what to install', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-launcher-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(fileURLToPath(new URL('../bin', import.meta.url)), join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'src/config'), { recursive: true });
  // A floor above this Node, so that npm's is taken; and that one fails the way the system's loader does.
  const [major = ''] = process.versions.node.split('.');
  writeFileSync(join(folder, 'src/config/runtime-floor.json'), JSON.stringify({ ...floors, [major]: `${major}.999.0` }));
  const bundled = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
  mkdirSync(bundled, { recursive: true });
  writeFileSync(join(bundled, 'node'), '#!/bin/sh\nexit 127\n');
  chmodSync(join(bundled, 'node'), 0o755);
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bin/metergate.mjs'), 'start'], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /a library it needs is missing.*libatomic1/);
});

test('the next start finds what Node made of the sources, whichever Node runs them', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-launcher-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const cli = join(folder, 'packages/cli');
  cpSync(fileURLToPath(new URL('../bin', import.meta.url)), join(cli, 'bin'), { recursive: true });
  mkdirSync(join(cli, 'src/config'), { recursive: true });
  writeFileSync(join(cli, 'package.json'), '{"type":"module"}');
  writeFileSync(join(cli, 'src/main.ts'), `import module from 'node:module';
    import { Worker } from 'node:worker_threads';
    console.log(module.getCompileCacheDir());
    new Worker("console.log(require('node:module').getCompileCacheDir())", { eval: true });\n`);
  const bundled = join(cli, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
  mkdirSync(bundled, { recursive: true });
  symlinkSync(process.execPath, join(bundled, 'node'));
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const [major = ''] = process.versions.node.split('.');
  for (const floor of [process.versions.node, `${major}.999.0`]) {
    writeFileSync(join(cli, 'src/config/runtime-floor.json'), JSON.stringify({ ...floors, [major]: floor }));
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(cli, 'bin/metergate.mjs')], { encoding: 'utf8', env });
    assert.equal(status, 0, stderr);
    const places = stdout.trimEnd().split('\n');
    assert.equal(places.length, 2, 'of its threads as well');
    for (const place of places) assert.ok(place.startsWith(join(realpathSync(folder), 'node_modules/.cache/metergate')), stdout);
  }
});
