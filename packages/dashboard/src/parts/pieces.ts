/** Long work in pieces, with the browser's own turn between them. */

/** How long one piece may take, milliseconds. */
const pieceMs = 8;

/** Runs to the end of the steps. @throws the signal's reason once it is aborted. */
export async function doInPieces<Value>(steps: Generator<void, Value>, signal?: AbortSignal): Promise<Value> {
  for (let since = performance.now(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < pieceMs) continue;
    await browsersTurn();
    signal?.throwIfAborted();
    since = performance.now();
  }
}

/** Resolves in a task of its own. A timer would wait for 4 ms each time. */
function browsersTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    }, { once: true });
    port1.start();
    port2.postMessage(null);
  });
}
