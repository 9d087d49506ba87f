/** A process that says what it was given first, and what it hears. */
import { parentProcess } from '@metergate/platform/parent-process.ts';

interface Heard {
  readonly say?: unknown;
  readonly break?: string;
  readonly hang?: true;
  readonly write?: string;
  readonly close?: true;
}

const parent = parentProcess<Heard>();
/** Without a parent it would live on. */
const living = setInterval(() => {}, 1_000);
parent.on((message) => {
  if (message.break !== undefined) throw new TypeError(message.break);
  if (message.hang === true) computeForEver();
  if (message.write !== undefined) process.stderr.write(message.write);
  if (message.close !== true) return parent.postMessage(message);
  clearInterval(living);
  parent.postMessage({ last: 'x'.repeat(5_000_000) });
  parent.close();
});
parent.postMessage({ first: await parent.first });

function computeForEver(): never {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (;;) Atomics.wait(nothing, 0, 0, 5);
}
