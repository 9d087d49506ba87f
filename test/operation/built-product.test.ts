/**
 * The two forms of the product, built and from source, behave alike: a start's output and pages, a command, an internal fault. Which form the
 * launcher takes is tested by `packages/cli/test/built-product.test.ts`, the package for npm by `npm-package.test.ts`.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { productEnv, runCli } from '@metergate/testkit/system.ts';
import { tryStart } from './start-trial.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'packages/cli/src/main.ts');

/** Where the launcher has Node keep its compiled sources. Nothing of what is built only for this test may remain there. */
const cache = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(root, 'node_modules/.cache/metergate') };

/** A separate build, so that an edit during the test does not change which form runs. In the workspace the dashboard lies beside it. */
const out = mkdtempSync(join(root, 'packages/cli/dist-trial-'));
after(() => rmSync(out, { recursive: true, force: true }));
execFileSync(process.execPath, [join(root, 'packages/cli/build.mjs'), '--out', out]);
const { folder: name } = JSON.parse(readFileSync(join(out, 'built.json'), 'utf8')) as { folder: string };
const built = join(out, name, 'main.js');

/** Ports, ids, links and keys differ from start to start. */
function alike(said: string): string[] {
  const plain = said.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST').replaceAll(/\/[^\s]*metergate-trial-\w+/g, 'FOLDER')
    .replaceAll(/[^\s=]*metergate-trial-\w+/g, 'FOLDER').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replaceAll(/\d+/g, 'N');
  // On a busy machine a thread that loads its sources may be reported as silent for a while.
  return plain.split('\n').filter((line) => !/ thread (?:does not answer|answers again)/.test(line)).sort();
}

test('built and from source, a start prints the same, serves its pages, takes a command and forwards a call', { timeout: 180_000 }, async (t) => {
  const said = await tryStart(t, built);
  assert.deepEqual(alike(said), alike(await tryStart(t, source, cache)));
});

test('built and from source, help, version, a refusal and a mistake are the same words and exit codes', { timeout: 120_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-forms-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const env = productEnv({ SVC_DATA_DIR: join(folder, 'none') });
  for (const args of [['--version'], ['--help'], ['key', '--help'], ['org', 'list'], ['org', 'lost'], ['calls', '--limit', 'x', '--json']]) {
    const [one, other] = await Promise.all([runCli(args, env, '', built), runCli(args, { ...env, ...cache }, '', source)]);
    assert.deepEqual([one!.code, one!.stdout, one!.stderr], [other!.code, other!.stdout, other!.stderr], args.join(' '));
  }
});

test('a damaged build is replaced, although it has the name of the new one', { timeout: 120_000 }, () => {
  const file = join(out, name, 'gateway-thread.js');
  const whole = readFileSync(file);
  truncateSync(file, 1_000);
  execFileSync(process.execPath, [join(root, 'packages/cli/build.mjs'), '--out', out]);
  assert.ok(readFileSync(file).equals(whole));
});

test('a stack trace of the built product names the function, and the line it names is below the name of the source', { timeout: 120_000 }, (t) => {
  // A clock that throws is an internal fault; the command says where.
  const defect = 'Date.now = function now() { throw new Error("defect"); };';
  const folder = mkdtempSync(join(tmpdir(), 'metergate-forms-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const args = ['--import', `data:text/javascript,${encodeURIComponent(defect)}`, built, 'start'];
  const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: productEnv({ SVC_DATA_DIR: folder }) });
  const frames = stderr.matchAll(/^\s+at (?:async )?([\w$.]+) \(file:\/\/(\/[^:]*\/packages\/cli\/[^:]+):(\d+):\d+\)/gm);
  // Those of a library are named too; what they are called there is not ours.
  const [called, from] = [...frames].map(([, name, file, line]) => [name!, sourceAbove(file!, Number(line))] as const)
    .find(([, source]) => source.startsWith('packages/')) ?? assert.fail(stderr);
  assert.match(readFileSync(join(root, from), 'utf8'), new RegExp(`\\b${called.split('.').at(-1)}\\b`), stderr);
});

/** The source named above a line of the built product. */
function sourceAbove(file: string, line: number): string {
  const named = /^\/\/ (?:\.\.\/)*((?:packages|node_modules)\/.*)$/;
  const above = readFileSync(file, 'utf8').split('\n').slice(0, line);
  return named.exec(above.findLast((each) => named.test(each)) ?? '')?.[1] ?? '';
}
