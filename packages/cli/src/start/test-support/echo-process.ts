/** A process that says what it was given first, and what it hears. */
import { parentProcess } from '@metergate/platform/parent-process.ts';

const parent = parentProcess<{ readonly say?: unknown; readonly break?: string; readonly hang?: true; readonly close?: true }>();
parent.on((message) => {
  if (message.break !== undefined) throw new TypeError(message.break);
  if (message.hang === true) computeForEver();
  if (message.close !== true) return parent.postMessage(message);
  parent.postMessage({ last: true });
  parent.close();
});
parent.postMessage({ first: await parent.first });

function computeForEver(): never {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (;;) Atomics.wait(nothing, 0, 0, 5);
}
