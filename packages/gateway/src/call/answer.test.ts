/** The caller's side of a relay: when its provider is slowed down. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { CallerRequest } from '../callers/caller-exchange.ts';
import { WholeResponse } from '../callers/whole-response.ts';
import { Answer } from './answer.ts';
import { CallGuard } from './call-guard.ts';

/** An answer whose head was written, to a caller that reads nothing until it is resumed. */
async function answerTo(t: TestContext, headers: readonly string[]) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const caller = connect(port, '127.0.0.1').pause();
  const [socket] = await once(server, 'connection') as [Socket];
  t.after(() => {
    caller.destroy();
    socket.destroy();
    server.close();
  });
  const request = { headers: {}, rawHeaders: [], httpVersionMinor: 1, socket } as unknown as CallerRequest;
  const faults: unknown[] = [];
  const guard = new CallGuard({ note: (_: unknown, cause: unknown) => faults.push(cause) } as never, { endBroken: () => {} } as never);
  const response = new WholeResponse(socket, { answered: () => {}, hasNext: false });
  const answer = new Answer(request, response, guard);
  answer.writeHead([], { status: 200, reason: 'OK', headers: [...headers] });
  const source = { pauses: 0, resumes: 0, pause() { this.pauses += 1; }, resume() { this.resumes += 1; } };
  return { answer, caller, socket, source, faults };
}

test('a provider is not slowed down for long pieces that the system takes, and is for those that it does not', async (t) => {
  const { answer, caller, source, faults } = await answerTo(t, ['content-length', '1000000000']);
  const piece = Buffer.alloc(65_504, 'a');
  caller.resume();
  for (let pieces = 0; pieces < 20; pieces += 1) {
    answer.deliver(piece, source);
    await turn();
  }
  assert.equal(source.pauses, 0);
  caller.pause();
  for (let pieces = 0; pieces < 2_000 && source.pauses === 0; pieces += 1) {
    answer.deliver(piece, source);
    await turn();
  }
  assert.deepEqual([source.pauses, source.resumes], [1, 0]);
  caller.resume();
  while (source.resumes === 0) await turn();
  assert.deepEqual([source.pauses, source.resumes, faults.length], [1, 1, 0]);
});
