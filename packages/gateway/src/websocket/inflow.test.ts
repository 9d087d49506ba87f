/**
 * A buffer of passing bytes is used again once their receiver has taken them, even if it reports that later: never before, and not if it keeps them.
 */
import { strict as assert } from 'node:assert';
import { Socket } from 'node:net';
import { test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';
import { createHeldBodies } from '../fairness/held-bodies.ts';
import { Inflow } from './inflow.ts';
import type { Message } from './message.ts';

const frame = frameOf(JSON.stringify({ text: 'a'.repeat(5_000) }));
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

for (const [name, isTaken] of [['taken behind the step', true], ['not taken', false]] as const) {
  test(`${name}: the buffer is ${isTaken ? '' : 'not '}used again`, async () => {
    const connection = { hasAllLeft: false, inOneGo: (step: () => void) => step() };
    const memory: unknown[] = [];
    const message = ({ source }: Message, next: () => void): void => {
      memory.push(source.buffer);
      next();
    };
    const flow = new Inflow(new Socket(), {
      organization: 'org_a' as OrganizationId, ofCaller: false, compression: null, bytesMax: 1 << 20, held: createHeldBodies(1 << 20),
      run: (step) => step(), connection, events: { message, control() {}, closing() {}, unreadable: () => assert.fail(), ended() {} },
    });
    flow.take(frame);
    flow.take(frame);
    connection.hasAllLeft = isTaken;
    await turn();
    connection.hasAllLeft = true;
    flow.take(frame);
    assert.notEqual(memory[1], memory[0], 'it has not left yet');
    assert.equal(memory[2] === memory[0], isTaken);
    flow.stop();
  });
}
