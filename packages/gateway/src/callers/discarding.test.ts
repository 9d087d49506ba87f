/** Pieces that are read away behind a refusal are memory that is used again, unless somebody else reads them, too. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { bodySlabs, slabBytes } from '../fairness/body-slabs.ts';
import { ArrivingRequest } from './arriving-request.ts';
import { discard } from './discarding.ts';
import { endBehindBody } from './respond.ts';

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const ways: readonly (readonly [string, (request: ArrivingRequest) => void])[] = [
  ['behind a call', discard], ['behind the end of our side', (request) => endBehindBody(request.socket, request)],
];
for (const [name, readAway] of ways) {
  test(`${name}: a piece is given back, unless another listens`, async () => {
    const request = new ArrivingRequest(new Socket(), 0, { method: 'POST', target: '/', pairs: [], bodyBytes: 4 * slabBytes });
    readAway(request);
    request.receive(Buffer.alloc(slabBytes));
    await turn();
    assert.equal(bodySlabs.spare, 1);
    request.on('data', () => {});
    request.receive(Buffer.alloc(slabBytes));
    await turn();
    assert.equal(bodySlabs.spare, 0);
    request.destroy();
    request.socket.destroy();
  });
}
