/**
 * `kill -9` at the moment a caller has the end of its answer (rules: Journal): the record was committed before the bytes that end
 * the answer were sent, so after a restart it says completed, with its usage; a call that was still open is one interrupted record.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RawConnection, requestBytes } from '@metergate/testkit/raw-client.ts';
import { serviceForFile } from '../../running-product.ts';
import { assertServes, chatEvents, eventStream, named, recordsOf } from '../../hostile/aftermath.ts';

const service = serviceForFile();
const json = '{"model":"gpt-4o-mini","usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}';

test('killed as the caller got [DONE], or the last byte of a length: the record after a restart is completed with its usage', async () => {
  const length = chatEvents.join('').length;
  service.system.openai.respond(({ target }) => (target.endsWith('completions')
    // The provider never ends the answer: the caller's last bytes are those of the event that ends the dialogue.
    ? { headers: eventStream, body: [...chatEvents.slice(0, 3), 'data: [DO', 'NE]\n\n', new Promise(() => {})] }
    : { headers: [['content-type', 'application/json']], body: json, cuts: [json.length - 1] }));
  const open = async (target: string, project: string): Promise<RawConnection> => {
    const connection = await RawConnection.open(service.system.gatewayUrl);
    connection.send(requestBytes({ target, headers: named(service, project), body: '{"stream":true}' }, 'x'));
    return connection;
  };
  const whole = await open('/v1/embeddings', 'killed-whole');
  await whole.nextAnswer();
  service.system.anthropic.respond('silence');
  const heard = service.system.anthropic.nextRequest();
  const waiting = await open('/v1/messages', 'killed-open');
  await heard;
  const stream = await open('/v1/chat/completions', 'killed-done');
  await stream.received(length);
  await service.system.kill9();
  service.system = await service.system.restart();
  const [done, last, open_] = await recordsOf(service, ['killed-done', 'killed-whole', 'killed-open']);
  assert.deepEqual([done?.outcome, done?.status, done?.usage, done?.inputTokens, done?.outputTokens], ['completed', 200, 'reported', 7, 3]);
  assert.deepEqual([last?.outcome, last?.usage, last?.inputTokens], ['completed', 'reported', 5]);
  assert.deepEqual([open_?.outcome, open_?.usage, open_?.cost], ['interrupted', 'unknown', null]);
  await Promise.all([whole.close(), waiting.close(), stream.close()]);
  await assertServes(service);
});
