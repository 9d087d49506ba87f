/**
 * Ports for what must know its port before it listens, or listen on the same one again. A port that the system chose for a moment is one of those
 * that it hands to every connection and listener of the tests beside this one: by the time it is used, somebody else may have it.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that Linux, macOS and Windows hand out by themselves, and above those of common services. */
const [lowest, highest] = [20_000, 32_000] as const;

/** A port of 127.0.0.1 on which nobody listens, and which no system hands out by itself. */
export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    const server = createServer();
    // `once` rejects with the error of a port that is taken.
    const isFree = await once(server.listen(port, '127.0.0.1'), 'listening').then(() => true, () => false);
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
