/** How much of large answers is read in one turn of the event loop, whoever sends it and however fast. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ReadingTurns, turnBytesMax, type Resting } from './reading-turns.ts';
import { createSocketDestination } from './socket-destination.ts';

const piece = 64 * 1024;
const patient = { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 };

/** Turns that are ended by hand, and connections that note when they read on. */
function byHand(): { turns: ReadingTurns; endTurn: () => void; connection: (keyId: string, name: string) => Resting; wentOn: string[] } {
  const tasks: (() => void)[] = [];
  const wentOn: string[] = [];
  return {
    turns: new ReadingTurns((task) => tasks.push(task)), wentOn,
    endTurn: () => { for (const task of tasks.splice(0)) task(); },
    connection: (keyId, name) => ({ keyId, readOn: () => void wentOn.push(name) }),
  };
}

it('within the bound of a turn nothing rests, and each turn has its own bound', () => {
  const { turns, endTurn, connection } = byHand();
  const one = connection('k', 'one');
  for (let turn = 0; turn < 3; turn += 1) {
    for (let bytes = piece; bytes <= turnBytesMax; bytes += piece) assert.equal(turns.restsAfter(one, piece), false);
    endTurn();
  }
  assert.equal(turns.resting, 0);
});

it('those that rest go on in their order, the keys in turn, however many connections one key has', () => {
  const { turns, endTurn, connection, wentOn } = byHand();
  assert.equal(turns.restsAfter(connection('many', 'first'), turnBytesMax), false);
  for (let n = 1; n <= 20; n += 1) assert.equal(turns.restsAfter(connection('many', `m${n}`), piece), true);
  assert.equal(turns.restsAfter(connection('few', 'f1'), piece), true);
  assert.equal(turns.resting, 21);
  endTurn();
  assert.deepEqual(wentOn.splice(0), ['m1', 'f1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7']);
  endTurn();
  assert.deepEqual(wentOn.splice(0), ['m8', 'm9', 'm10', 'm11', 'm12', 'm13', 'm14', 'm15']);
  endTurn();
  endTurn();
  assert.deepEqual([wentOn, turns.resting], [['m16', 'm17', 'm18', 'm19', 'm20'], 0]);
});

/** Sends 4 MiB to each request, as fast as it can. On a separate thread, so that it sends while the other thread reads. */
const provider = `
  const { createServer } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  const body = Buffer.alloc(4 * 2 ** 20, 'x');
  const server = createServer((request, response) => response.end(body)).listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

it('many fast answers at once arrive whole, and no turn reads more of them than its bound and one piece of each', async (t) => {
  const worker = new Worker(provider, { eval: true });
  t.after(() => worker.terminate());
  const [port] = await once(worker, 'message') as [number];
  const destination = createSocketDestination({ origin: `http://127.0.0.1:${port}`, timeouts: patient, guard: null });
  t.after(() => destination.close());
  const [answers, bytes] = [24, 4 * 2 ** 20];
  let [turnBytes, most] = [0, 0];
  let isOver = false;
  const nextTurn = (): void => {
    most = Math.max(most, turnBytes);
    turnBytes = 0;
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  t.after(() => { isOver = true; });
  const lengths = await Promise.all(Array.from({ length: answers }, () => new Promise<number>((resolve, reject) => {
    let length = 0;
    destination.send({ method: 'GET', target: '/', headers: [], body: null, contentLength: null, keyId: 'k' }, {
      head() {},
      data(chunk) {
        length += chunk.length;
        turnBytes += chunk.length;
      },
      end: () => resolve(length),
      failed: ({ cause }) => reject(cause),
    });
  })));
  assert.deepEqual(lengths, Array.from({ length: answers }, () => bytes));
  assert.ok(most <= turnBytesMax + answers * piece, `${most} bytes were read in one turn`);
});
