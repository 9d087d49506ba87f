/** Which maker a declaration has: one for as long as it says the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NamedUpstream } from '@metergate/core/account/settings.ts';
import { UpstreamCredentials } from './upstream-credentials.ts';

const declared: NamedUpstream = {
  name: 'bedrock', url: 'https://bedrock-runtime.us-east-1.amazonaws.com', enabled: true, version: 3, auth: 'aws-sigv4', dialect: null,
  provider: null, credential: JSON.stringify({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'one' }),
};

test('A maker is kept while the declaration says the same, and not by its version alone, which comes again after a restore', () => {
  const credentials = new UpstreamCredentials(() => assert.fail('nothing is fetched'), { wallMs: () => 0, monotonicMs: () => 0 });
  const makerOf = (changes: Partial<NamedUpstream> = {}) => credentials.makerFor('org_a', { ...declared, ...changes });
  const first = makerOf();
  assert.notEqual(first, null);
  assert.equal(makerOf(), first);
  const others: Partial<NamedUpstream>[] = [
    { version: 4 }, { credential: JSON.stringify({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'two' }) },
    { url: 'https://bedrock-runtime.eu-west-1.amazonaws.com' },
  ];
  for (const other of others) {
    const before = makerOf();
    const after = makerOf(other);
    assert.notEqual(after, null);
    assert.notEqual(after, before);
    assert.equal(makerOf(other), after);
  }
  assert.equal(makerOf({ auth: 'google-service-account' }), null, 'what is stored is no such credential');
});
