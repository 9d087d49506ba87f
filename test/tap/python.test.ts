/**
 * The tap for Python: all its tests on the oldest and the newest Python of this machine from 3.9 on, with only the standard library, and the
 * conformance kit on those between; and the providers' SDKs if they are installed. Without a Python one line says so, and the conformance
 * kit still runs for the JavaScript tap.
 */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, test } from 'node:test';
import { pythons, sdkEnvironments, tapPython, unitTests, type Python } from './pythons.ts';

/** A module takes up to 30 seconds on two quiet cores, and has taken four minutes on cores shared by eight. */
const LIMIT_MS = 600_000;
/** A module that compares an SDK takes up to 30 seconds on two quiet cores; a test in it that hangs ends itself and prints its stack. */
const SDK_LIMIT_MS = 300_000;
const KILL_BUDGET_MS = 10_000;

const found = pythons();
const environments = sdkEnvironments();

/** The test modules in a folder. */
const modules = (folder: string): string[] => globSync(`${folder}/test_*.py`, { cwd: tapPython }).sort()
  .map((file) => file.replaceAll(/[\\/]/g, '.').replace(/\.py$/, ''));

test('Pythons of this machine', (context) => {
  if (found.length === 0) context.diagnostic('no Python from 3.9 on is found: the Python tap is not tested here');
  if (environments.size === 0) context.diagnostic('no provider SDKs in .venvs: the Python tap is not compared with them here');
});

/** Runs one module of tests within the limit. */
function moduleTest(name: string, python: Python, module: string, limitMs = LIMIT_MS): void {
  test(name, { timeout: limitMs + KILL_BUDGET_MS }, async () => {
    const { code, output } = await unitTests(python, module, limitMs);
    assert.equal(code, 0, output);
    assert.match(output, /^Ran \d+ tests?/m);
  });
}

/** The tests' hosts wait most of the time, so they run in parallel. */
describe('the Python tap', { concurrency: 4 }, () => {
  const ends = new Set([found.at(0), found.at(-1)]);
  for (const python of found) {
    const wanted = modules('tests').filter((module) => ends.has(python) || module === 'tests.test_conformance');
    for (const module of wanted) moduleTest(`${module}, Python ${python.version}`, python, module);
  }
});

/** They wait for answers that do not come, and for servers to end. */
describe('the Python tap and the SDKs', { concurrency: 4 }, () => {
  for (const [name, python] of environments) {
    // The environment of the frameworks contains SDKs too; those are compared in their own environments.
    const frameworks = /_(?:clouds|hosts|langchain|litellm)$/;
    const wanted = modules('tests/sdk').filter((module) => frameworks.test(module) === (name === 'frameworks'));
    for (const module of wanted) moduleTest(`${module}, ${name} versions, Python ${python.version}`, python, module, SDK_LIMIT_MS);
  }
});
