/**
 * `node bench/websocket.ts [--quick] [--before DIR] [--only turns,sound]`: what a turn of the Responses API costs over WebSocket, and what a
 * message of sound costs, in processor time of the product, of haproxy, and of the product for the same turn as a stream over HTTP. Connections
 * are opened once and answer one exchange after the other. Rounds alternate; the median of each is told. `--before`: another checkout of the
 * product, installed, beside this one. If an exchange fails, the benchmark fails.
 */
import { pathToFileURL } from 'node:url';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { processorMs } from './processor-time.ts';
import { haproxy, product, type Subject } from './subjects.ts';
import { converse, startProvider, type Conversation } from './websocket-ends.ts';

const { values } = parseArgs({ options: {
  quick: { type: 'boolean', default: false }, before: { type: 'string' }, only: { type: 'string', default: 'turns,sound' },
} });
const [connections, warmTurns, turns, rounds] = values.quick ? [8, 1_600, 800, 3] : [32, 4_800, 3_200, 5];
const turnsOf = (way: 'websocket' | 'http') => (['apart', 'at once', 'together'] as const).map((pieces) => ({ of: 'turns', way, pieces } as const));
const all: readonly Conversation[] = [...turnsOf('websocket'), ...turnsOf('http'), { of: 'sound', way: 'websocket', pieces: 'together' }];
const conversations = all.filter(({ of }) => values.only.includes(of));

async function exchange(subject: Subject, conversation: Conversation, count: number): Promise<void> {
  provider.pieces = conversation.pieces;
  await Promise.all(Array.from({ length: connections }, () => converse(subject, conversation, count / connections)));
}

/** Processor time of one subject's exchanges. It goes on after them: records are shipped while others are measured. */
class Costs {
  readonly #subject: Subject;
  readonly #byName = new Map<string, number[]>();
  #counted = 0;
  #name: string | null = null;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** Microseconds of each exchange, in each round. */
  get byName(): ReadonlyMap<string, readonly number[]> {
    return this.#byName;
  }

  async measure(conversation: Conversation): Promise<void> {
    this.endRound();
    this.#name = `${conversation.of} ${conversation.pieces}, ${conversation.way}: ${this.#subject.name}`;
    await exchange(this.#subject, conversation, turns);
  }

  /** What has been used since is of the round before. */
  endRound(): void {
    const counted = processorMs(this.#subject.pid!) ?? 0;
    if (this.#name !== null) this.#byName.set(this.#name, [...this.#byName.get(this.#name) ?? [], (counted - this.#counted) / turns * 1_000]);
    this.#counted = counted;
    this.#name = null;
  }
}

const provider = await startProvider();
const subjects = [await product(provider.url), await haproxy(provider.url)];
if (values.before !== undefined) {
  const bench = pathToFileURL(join(resolve(values.before), 'bench/'));
  subjects.push({ ...await product(provider.url, undefined, bench), name: 'metergate before' });
}
const costs = subjects.map((subject) => new Costs(subject));
try {
  for (const subject of subjects) for (const conversation of conversations) await exchange(subject, conversation, warmTurns);
  for (let round = 0; round < rounds; round += 1) {
    for (const conversation of conversations) for (const each of costs) await each.measure(conversation);
  }
  for (const each of costs) each.endRound();
  for (const [name, figures] of costs.flatMap(({ byName }) => [...byName]).toSorted(([one], [other]) => one.localeCompare(other))) {
    const sorted = figures.toSorted((one, other) => one - other);
    console.log(`${name.padEnd(48)} ${sorted[sorted.length >> 1]!.toFixed(1)} µs  (${sorted.map((us) => us.toFixed(0)).join(' ')})`);
  }
} finally {
  for (const subject of subjects) await subject.stop();
  provider.close();
}
process.exit();
