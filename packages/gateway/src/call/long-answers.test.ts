/**
 * Many long answers at once, each of its own bytes, into memory that is used again: each caller receives what the provider sent for it, whoever
 * else's come and go beside it, also where it reads late, where its copy is decoded later than it is sent on, and where others leave within theirs.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { compress } from '@metergate/testkit/coding.ts';
import { bodySlabs } from '../fairness/body-slabs.ts';
import { hasRequestParser } from '../http-parser/request-parser.ts';
import { ownKey, neighbourKey, startNode } from '../test-support/whole-node.ts';

const rounds = 4;
const callers = 12;
/** Some of an answer, whatever the kernel's buffers hold. */
const begunBytes = 100_000;

/** An answer that is like no other, and that no coding makes short. */
function answerOf(id: string): Buffer {
  const filler = randomBytes(id.length * 40_000).toString('base64');
  return Buffer.from(`{"id":"${id}","filler":"${filler}","usage":{"prompt_tokens":1,"completion_tokens":1}}`);
}

const requestOf = (id: string, key: string): string =>
  `POST /v1/responses?id=${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 2\r\n\r\n{}`;

test('long answers reach their callers as they were sent', async (t) => {
  const { provider, connect } = await startNode(t);
  const sent = new Map<string, Buffer>();
  provider.respond(({ target }) => {
    const id = target.slice(target.indexOf('=') + 1);
    const body = answerOf(id);
    const coded = id.endsWith('gzip') ? compress(body, 'gzip') : body;
    sent.set(id, coded);
    return { headers: [['content-type', 'application/json'], ...(coded === body ? [] : [['content-encoding', 'gzip'] as const])], body: coded };
  });
  await Promise.all(Array.from({ length: callers }, async (_, caller) => {
    const connection = await connect();
    const key = caller % 3 === 0 ? neighbourKey : ownKey;
    for (let round = 0; round < rounds; round += 1) {
      const leaving = await connect();
      leaving.send(requestOf(`${caller}-${round}-left-within-its-answer`, key));
      await leaving.received(begunBytes);
      const id = `${caller}-${round}${'-long'.repeat(caller % 4)}${caller % 5 === 0 ? '-gzip' : ''}`;
      if (caller % 2 === 0) connection.stopReading();
      connection.send(requestOf(id, key));
      leaving.abort();
      connection.readOn();
      const answer = await connection.nextAnswer();
      assert.equal(answer.status, 200);
      assert.equal(answer.bodyRaw.equals(sent.get(id)!), true, id);
    }
    await connection.close();
  }));
  const last = await connect();
  last.send(requestOf('last', ownKey));
  assert.equal((await last.nextAnswer()).bodyRaw.equals(sent.get('last')!), true);
  await last.close();
  // Only answers that leave by our own writer give their pieces back.
  assert.equal(bodySlabs.spare > 0, hasRequestParser, 'memory waits to be used again');
});
