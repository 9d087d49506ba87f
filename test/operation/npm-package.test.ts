/**
 * The package for npm, laid out below a `node_modules` as by an installation, where Node strips no types and nothing of the workspace is
 * found: it starts, serves its pages and forwards a call. What npm itself does with the tarball is tried by hand (docs/operating/npm.md).
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tryStart } from './start-trial.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the package runs by itself: ready, the dashboard\'s page and script, a metered call', { timeout: 120_000 }, async (t) => {
  const folder = join(mkdtempSync(join(tmpdir(), 'metergate-package-')), 'node_modules/metergate');
  mkdirSync(folder, { recursive: true });
  t.after(() => rmSync(join(folder, '../..'), { recursive: true, force: true }));
  execFileSync(process.execPath, ['--no-warnings', join(root, 'scripts/npm-package.ts'), folder]);
  const files = readdirSync(join(folder, 'lib'), { recursive: true, encoding: 'utf8' });
  assert.deepEqual(files.filter((file) => /\.ts$|\.test\.|test-support/.test(file)), []);
  const { bin, dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: Readonly<Record<string, string>>; dependencies?: unknown;
  };
  assert.equal(dependencies, undefined, 'all of it is in the package');
  const licences = readFileSync(join(folder, 'lib/cli/dist', files.find((file) => file.endsWith('licences.txt'))!.replace('cli/dist/', '')), 'utf8');
  for (const name of ['hono', 'kysely', 'pg', 'undici', 'zod']) assert.match(licences, new RegExp(`^${name} \\d.*licence: MIT`, 'm'));
  assert.doesNotMatch(await tryStart(t, join(folder, bin['metergate']!)), /npm (?:start|run|ci)/, 'these are not there beside a package');
});
