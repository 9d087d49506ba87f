/**
 * `node bench/idle-connections.ts [--connections 5000]`: what an idle WebSocket connection keeps: heap of the gateway thread after a collection,
 * and resident memory of the product. First none has carried a message, then each has carried one response. Both ends are in this process.
 */
import { parseArgs } from 'node:util';
import { startSystem } from '@metergate/testkit/system.ts';
import { debugThreads, inspected } from '@metergate/testkit/thread-debugger.ts';
import { openCaller, type Peer } from '@metergate/testkit/websocket/peer.ts';
import { startRespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';

const { values } = parseArgs({ options: { connections: { type: 'string', default: '5000' } } });
const count = Number(values.connections);
const ask = frameOf(JSON.stringify({ type: 'response.create', model: 'gpt-5.2', input: 'hello' }), { mask: Buffer.from([1, 2, 3, 4]) });
const provider = await startRespondingProvider();
const system = await startSystem({ env: { ...inspected, SVC_OPENAI_URL: provider.url } });
const threads = await debugThreads(system);

/** An organization may have half of a node's connections. */
const other = (await system.createOrganization('other', 'enterprise')).id;
await system.connectProvider('openai', other);
await system.cli(['org', 'set', other, '--requests-per-minute', '10000000000', '--tokens-per-minute', '10000000000', '--json']);
const keys = [(await system.createKey()).key, (await system.createKey({ organization: other })).key];

async function open(places: number): Promise<Peer[]> {
  const callers: Peer[] = [];
  for (let at = 0; at < places; at += 50) {
    callers.push(...await Promise.all(Array.from({ length: 50 }, (_, one) => openCaller(system.gatewayUrl, { key: keys[(at + one) % 2]! }))));
  }
  for (const { head } of callers) if (!head.startsWith('HTTP/1.1 101 ')) throw new Error(head);
  return callers;
}

async function converse(callers: readonly Peer[]): Promise<void> {
  for (let at = 0; at < callers.length; at += 50) {
    await Promise.all(callers.slice(at, at + 50).map(async (caller) => {
      const before = caller.events.length;
      caller.send(ask);
      await caller.until(() => caller.events.slice(before).some(({ type }) => type === 'response.completed'));
    }));
  }
}

const kept = async (): Promise<{ readonly heap: number; readonly resident: number }> =>
  ({ heap: await threads.heapBytes('gateway-thread'), resident: system.residentBytes() ?? 0 });

try {
  // What is made once is made before.
  const first = await open(200);
  await converse(first);
  const before = await kept();
  const tell = async (what: string): Promise<void> => {
    const { heap, resident } = await kept();
    const [heapKb, residentKb] = [heap - before.heap, resident - before.resident].map((bytes) => (bytes / count / 1024).toFixed(1));
    console.log(`${count} idle connections, ${what}: ${heapKb} KB of heap each, ${residentKb} KB resident`);
  };
  const callers = await open(count);
  await tell('nothing said');
  await converse(callers);
  await tell('one response each');
} finally {
  threads.close();
  await system.stop();
  await provider.close();
}
process.exit();
