/** Which runtimes may decode untrusted Brotli themselves. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nativeBrotliIsSafe } from './brotli-floor.ts';

it('A runtime decodes Brotli natively from its security floor on, and never if its version cannot be parsed', () => {
  for (const version of ['24.22.1', '24.22.2', '24.23.0', '26.12.1', 'v26.12.1', '26.13.0', '27.0.0', '28.1.0', '100.0.0']) {
    assert.equal(nativeBrotliIsSafe(version), true, version);
  }
  for (const version of ['20.20.2', '22.23.3', '23.99.0', '24.22.0', '24.9.9', '25.99.0', '26.10.0', '26.12.0', '27.0.0-nightly', '', 'x',
    '26.12']) {
    assert.equal(nativeBrotliIsSafe(version), false, version);
  }
});
