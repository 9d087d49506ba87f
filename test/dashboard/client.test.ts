/** The pages' client is generated from the OpenAPI document, and must not lag behind the operations. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('the client of the pages equals what the OpenAPI document gives', () => {
  const generator = fileURLToPath(new URL('../../packages/dashboard/generate-client.ts', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [generator, '--check'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});
