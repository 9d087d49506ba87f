/**
 * A declared upstream that is not at a public address (spec: Errors 502, `upstream_unreachable_destination`; rule 19), end to end: the
 * row to the letter, one record, and no connection. The test writes it into the store, because the use case would refuse it; such a name can
 * get there if it was public when it was declared.
 */
import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { assertRefusal, bearer, requestIdOf } from '../running-product.ts';
import { rawCall } from '@metergate/testkit/raw-client.ts';
import { productForFile } from '../limits/tenant.ts';

const product = productForFile({ env: { SVC_UPSTREAM_ALLOW: '127.0.0.0/8' } });
const refusal = {
  status: 502, code: 'upstream_unreachable_destination', type: 'api_error',
  message: "This workspace's declared upstream could not be reached at a public address. Nothing was forwarded.",
};

test('502 upstream_unreachable_destination: loopback, private, link-local and mapped addresses are not dialled, each leaves a record', async () => {
  const listener = createServer().listen(0, '::1');
  await once(listener, 'listening');
  let connections = 0;
  listener.on('connection', (socket) => {
    connections += 1;
    socket.destroy();
  });
  const { port } = listener.address() as AddressInfo;
  try {
    for (const url of [`http://[::1]:${port}`, 'https://10.1.2.3', 'https://169.254.169.254', 'https://[::ffff:10.1.2.3]']) {
      const tenant = await product.tenant();
      assert.equal(await product.store.upstreams.declare(tenant.id as never, { url, credential: 'sk-declared' }), null);
      await product.store.upstreams.enable(tenant.id as never);
      const answer = await rawCall(product.system.gatewayUrl, {
        target: '/upstream/v1/chat/completions', headers: [bearer(tenant.key)], body: '{}',
      });
      assertRefusal(answer, refusal);
      const id = requestIdOf(answer);
      const record = (await product.system.callsById([id], tenant.id)).get(id);
      assert.deepEqual([record?.outcome, record?.status, record?.usage, record?.cost], ['failed', null, 'none', null], url);
    }
    assert.equal(connections, 0);
  } finally {
    listener.close();
  }
});
