/**
 * Many long bodies at once, each of its own bytes, on connections that are used again: the provider receives each as it was sent, whoever else's
 * come and go beside it, at once, in chunks or in slow pieces. Between them are callers who leave within theirs.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { eventually } from '@metergate/testkit/eventually.ts';
import { ownKey, neighbourKey, startNode } from '../test-support/whole-node.ts';

const rounds = 4;
const callers = 12;

/** A body that is like no other: every few bytes say whose it is. */
function bodyOf(caller: number, round: number, bytes: number): string {
  const start = `{"model":"m","stream":true,"a":"`;
  return `${start}${`${caller}.${round}|`.repeat(bytes).slice(0, bytes - start.length - 2)}"}`;
}

const piecesOf = (body: string, length: number): string[] =>
  Array.from({ length: Math.ceil(body.length / length) }, (_, at) => body.slice(at * length, (at + 1) * length));

test('long bodies of many callers reach the provider as they were sent', async (t) => {
  const { gateway, provider, connect } = await startNode(t, { heldBodiesBytesMax: 32 << 20 });
  const sent = new Map<string, string>();
  await Promise.all(Array.from({ length: callers }, async (_, caller) => {
    const connection = await connect();
    for (let round = 0; round < rounds; round += 1) {
      const leaving = await connect();
      const path = caller % 2 === 0 ? '/v1/chat/completions' : '/v1/responses';
      const body = bodyOf(caller, round, 90_000 + caller * 40_000);
      const headWith = (framing: string, id: string): string => `POST ${path}?id=${id} HTTP/1.1\r\nHost: x\r\n`
        + `Authorization: Bearer ${caller % 3 === 0 ? neighbourKey : ownKey}\r\n${framing}\r\n\r\n`;
      const head = (length: number, id: string): string => headWith(`Content-Length: ${length}`, id);
      leaving.send(head(400_000, 'left') + body.slice(0, 150_000));
      sent.set(`${caller}-${round}`, body);
      const pieces = piecesOf(body, 7_000 + round * 9_000);
      if (caller % 4 < 2) {
        connection.send(head(body.length, `${caller}-${round}`) + body);
      } else if (caller % 4 === 2) {
        const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
        connection.send(`${headWith('Transfer-Encoding: chunked', `${caller}-${round}`)}${chunks.join('')}0\r\n\r\n`);
      } else {
        connection.send(head(body.length, `${caller}-${round}`));
        for (const piece of pieces) {
          connection.send(piece);
          await turn();
        }
      }
      assert.equal((await connection.nextAnswer()).status, 200);
      await leaving.close();
    }
    await connection.close();
  }));
  const received = provider.requests.filter(({ target }) => !target.endsWith('left'));
  assert.equal(received.length, callers * rounds);
  for (const { target, bodyRaw } of received) {
    const body = sent.get(target.slice(target.indexOf('=') + 1))!;
    const expected = target.startsWith('/v1/chat') ? body.replace('{', '{"stream_options":{"include_usage":true},') : body;
    assert.equal(bodyRaw.toString('latin1') === expected, true, target);
  }
  await eventually(() => gateway.heldBodyBytes() === 0, 'something is still held');
});
