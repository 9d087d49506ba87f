/**
 * The tap for Python, on every Python of this machine from 3.9 on: its own tests, by the standard library alone; and the providers' SDKs
 * where they are installed. Without a Python one line says so, and the JavaScript tap still holds the conformance kit.
 */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, test } from 'node:test';
import { pythons, sdkEnvironments, tapPython, unitTests } from './pythons.ts';

const found = pythons();
const environments = sdkEnvironments();

/** The modules of tests in a folder. */
const modules = (folder: string): string[] => globSync(`${folder}/test_*.py`, { cwd: tapPython }).sort()
  .map((file) => file.replaceAll(/[\\/]/g, '.').replace(/\.py$/, ''));

test('Pythons of this machine', (context) => {
  if (found.length === 0) context.diagnostic('no Python from 3.9 on is found: the Python tap is not tested here');
  if (environments.size === 0) context.diagnostic('no provider SDKs in .venvs: the Python tap is not compared with them here');
});

/** A host of the tests waits most of its time: they wait side by side. */
describe('the Python tap', { concurrency: 4 }, () => {
  for (const python of found) {
    test(`on Python ${python.version}`, async () => {
      const { code, output } = await unitTests(python, modules('tests'));
      assert.equal(code, 0, output);
      assert.match(output, /^Ran \d+ tests/m);
    });
  }
});

describe('the Python tap and the SDKs', { concurrency: 2 }, () => {
  for (const [name, python] of environments) {
    // The environment of the frameworks brings SDKs too; they are compared in their own.
    const frameworks = /_(?:langchain|litellm)$/;
    for (const module of modules('tests/sdk').filter((each) => frameworks.test(each) === (name === 'frameworks'))) {
      test(`${module}, ${name} versions, Python ${python.version}`, async () => {
        const { code, output } = await unitTests(python, [module]);
        assert.equal(code, 0, output);
      });
    }
  }
});
