/**
 * `node bench/websocket.ts [--quick] [--before DIR] [--only turns,sound] [--way websocket] [--pieces apart]`: what a turn of the Responses API
 * costs over WebSocket, and what a message of sound costs: processor time of the product, of haproxy and of a bare relay on Node, beside the same
 * turn as a stream over HTTP. Connections are opened once and answer one exchange after the other. Rounds alternate. Told are the median and two
 * ratios to haproxy: the median of the rounds', and the least of one divided by the least of the other. `--before`: another checkout of the
 * product, installed, beside this one. If an exchange fails, the benchmark fails.
 */
import { pathToFileURL } from 'node:url';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { processorMs } from './processor-time.ts';
import { bareTcpRelay, haproxy, product, type Subject } from './subjects.ts';
import { converse, startProvider, type Conversation } from './websocket-ends.ts';

const { values } = parseArgs({ options: {
  quick: { type: 'boolean', default: false }, before: { type: 'string' }, only: { type: 'string', default: 'turns,sound' },
  way: { type: 'string', default: 'websocket,http' }, pieces: { type: 'string', default: 'apart,at once,together' },
} });
const [connections, warmTurns, turns, rounds] = values.quick ? [8, 1_600, 800, 3] : [32, 16_000, 3_200, 7];
/** A message of sound is short work: more of them, to be measured and to be compiled for. */
const timesOf = ({ of }: Conversation): number => of === 'sound' ? 5 : 1;
const turnsOf = (way: 'websocket' | 'http') => (['apart', 'at once', 'together'] as const).map((pieces) => ({ of: 'turns', way, pieces } as const));
const all: readonly Conversation[] = [...turnsOf('websocket'), ...turnsOf('http'), { of: 'sound', way: 'websocket', pieces: 'together' }];
const conversations = all.filter(({ of, way, pieces }) => values.only.includes(of) && values.way.includes(way) && values.pieces.includes(pieces));

async function exchange(subject: Subject, conversation: Conversation, count: number): Promise<void> {
  provider.pieces = conversation.pieces;
  const each = count * timesOf(conversation) / connections;
  await Promise.all(Array.from({ length: connections }, () => converse(subject, conversation, each)));
}

/** Processor time of one subject's exchanges. It goes on after them: records are shipped while others are measured. */
class Costs {
  readonly #subject: Subject;
  readonly #byName = new Map<string, number[]>();
  #counted = 0;
  #measured: Conversation | null = null;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** Microseconds of each exchange, in each round. */
  get byName(): ReadonlyMap<string, readonly number[]> {
    return this.#byName;
  }

  async measure(conversation: Conversation): Promise<void> {
    this.endRound();
    this.#measured = conversation;
    await exchange(this.#subject, conversation, turns);
  }

  /** What has been used since is of the round before. */
  endRound(): void {
    const counted = processorMs(this.#subject.pid!) ?? 0;
    if (this.#measured !== null) {
      const { of, pieces, way } = this.#measured;
      const name = `${of} ${pieces}, ${way}: ${this.#subject.name}`;
      const us = (counted - this.#counted) / turns / timesOf(this.#measured) * 1_000;
      this.#byName.set(name, [...this.#byName.get(name) ?? [], us]);
    }
    this.#counted = counted;
    this.#measured = null;
  }
}

const provider = await startProvider();
const subjects = [await product(provider.url), await haproxy(provider.url), await bareTcpRelay(provider.url)];
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
  const all = new Map(costs.flatMap(({ byName }) => [...byName]));
  for (const [name, figures] of [...all].toSorted(([one], [other]) => one.localeCompare(other))) {
    const sorted = figures.toSorted((one, other) => one - other);
    const relayed = all.get(name.replace(/: .*/, ': haproxy'))!;
    const ratios = figures.map((us, round) => us / relayed[round]!).toSorted((one, other) => one - other);
    const toHaproxy = `${ratios[ratios.length >> 1]!.toFixed(1)} and ${(sorted[0]! / Math.min(...relayed)).toFixed(1)} x haproxy`;
    console.log(`${name.padEnd(48)} ${sorted[sorted.length >> 1]!.toFixed(1)} µs, ${toHaproxy}  (${sorted.map((us) => us.toFixed(0)).join(' ')})`);
  }
} finally {
  for (const subject of subjects) await subject.stop();
  provider.close();
}
process.exit();
