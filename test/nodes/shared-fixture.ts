/**
 * Organizations on a store that several nodes share, made by the use cases that the command and the platform's HTTP run, and calls
 * to the nodes whose cost the caller names. A dollar is a whole unit here.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setCap, type CapInput } from '@metergate/platform/use-cases/caps.ts';
import { createOrganization, setOrganization } from '@metergate/platform/use-cases/organizations.ts';
import { isRefusal, type AdministrationRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { createServiceKey } from '@metergate/platform/use-cases/service-keys.ts';
import { openStore, type Store } from '@metergate/store/store.ts';
import { wanting, type Cluster, type ClusterNode } from '@metergate/testkit/cluster.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';

/** Opens the cluster's store a second time; makes the schema if there is none. */
export function storeOf({ databaseUrl, masterKey }: Cluster, clock: () => number = Date.now): Promise<Store> {
  return openStore({ url: databaseUrl, masterKey, clock, randomBytes: (n) => randomBytes(n), create: true });
}

export interface Answer {
  readonly status: number;
  readonly code: string;
  /** Wall time when the call was sent: when its answer is seen is up to this process too. */
  readonly sentMs: number;
  /** Wall time when the answer arrived. */
  readonly atMs: number;
}

/** What a store holds for a sharer. Money in dollars. */
export interface Spent {
  /** The sum of the records. */
  readonly sum: number;
  /** The spend that the cap shows. */
  readonly cap: number;
  readonly records: number;
  /** How many of these a killed node had opened: some of them before the upstream had their request. */
  readonly interrupted: number;
}

/** One organization with a key, whose calls go to the cluster's upstream. */
export class Sharer {
  readonly store: Store;
  readonly id: string;
  key: string;
  /** Number of calls that were answered with 200. */
  answered = 0;

  constructor(store: Store, id: string, key: string) {
    this.store = store;
    this.id = id;
    this.key = key;
  }

  static async of(cluster: Cluster, store: Store, name: string): Promise<Sharer> {
    const context = { store, randomBytes: (n: number) => randomBytes(n), nowMs: Date.now() };
    const { id } = await granted(createOrganization(context, { name, plan: 'enterprise' }));
    await granted(setOrganization(context, id, { requestsPerMinute: 10_000_000_000, tokensPerMinute: 10_000_000_000 }));
    await granted(store.upstreams.declare(id as never, { url: cluster.upstream.url, credential: '' }));
    await granted(store.upstreams.enable(id as never));
    return new Sharer(store, id, (await granted(createServiceKey(context, { organization: id }))).key);
  }

  /** From now on calls come with a key of a member, who is made. Returns the member's email. */
  async ofPerson(name: string): Promise<string> {
    const context = { store: this.store, randomBytes: (n: number) => randomBytes(n), nowMs: Date.now() };
    const email = `${name.replaceAll(' ', '-')}@people.example`;
    await granted(this.store.members.create({ organization: this.id as never, email, passwordHash: 'none', role: 'member' }));
    this.key = (await granted(createServiceKey(context, { organization: this.id, person: email }))).key;
    return email;
  }

  async cap(limit: number, over: Partial<CapInput> = {}): Promise<void> {
    const context = { store: this.store, randomBytes: (n: number) => randomBytes(n), nowMs: Date.now() };
    await granted(setCap(context, { organization: this.id, scope: 'organization', window: 'lifetime', limit: String(limit), ...over }));
  }

  /** One call that costs that many dollars, answered after `afterMs`. Rejects if the connection breaks. */
  async call(node: ClusterNode, dollars: number, headers: Readonly<Record<string, string>> = {}, afterMs: number = 0): Promise<Answer> {
    const sentMs = Date.now();
    const { status, body } = await post(`${node.gatewayUrl}/upstream/v1/chat/completions`, {
      body: wanting(dollars, afterMs), headers: { authorization: `Bearer ${this.key}`, ...headers },
    });
    if (status === 200) this.answered += 1;
    const code = status === 200 ? 'ok' : (JSON.parse(body) as { error: { code: string } }).error.code;
    return { status, code, sentMs, atMs: Date.now() };
  }

  /**
   * A call that must be admitted: it is retried if the store was late to answer about the key (500) or to confirm (503), as on a busy
   * machine.
   */
  async admitted(node: ClusterNode, dollars: number, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    let said = '';
    await eventually(async () => {
      const { status, code } = await this.call(node, dollars, headers);
      said = `${status} ${code}; the node says: ${node.stderr().slice(-2_000)}`;
      assert.ok([200, 500, 503].includes(status), said);
      return status === 200;
    }, () => said);
  }

  /** What the store says was spent, once it has records of that many answered calls. In dollars. */
  async spent(records: number = this.answered): Promise<Spent> {
    let found = 0;
    return eventually(async () => {
      // Two reads are of one moment only if nothing was shipped between them.
      const [before] = await this.store.caps.list(this.id as never, Date.now());
      const all = await keptCalls(this.store, this.id as never);
      const [cap] = await this.store.caps.list(this.id as never, Date.now());
      if (all.length >= records && before?.spent === cap?.spent) {
        const sum = all.reduce((total, { cost }) => total + (cost ?? 0n), 0n);
        const interrupted = all.filter(({ outcome }) => outcome === 'interrupted').length;
        return { sum: Number(sum) / 1e9, records: all.length, interrupted, cap: Number(cap?.spent ?? -1_000_000_000n) / 1e9 };
      }
      found = all.length;
      return null;
    }, () => `${found} records of ${records}`);
  }
}

/** Thousands of calls by fetch would take most of the processor time from the nodes: four times as much as these. */
const agent = new Agent({ keepAlive: true });

function post(url: string, { body, headers }: { readonly body: string; readonly headers: Readonly<Record<string, string>> }) {
  return new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    const asked = request(url, { method: 'POST', agent, headers }, (answer) => {
      text(answer).then((said) => resolve({ status: answer.statusCode!, body: said }), reject);
    });
    asked.on('error', reject).end(body);
  });
}

/** Callers that call repeatedly until `enough` is true for an answer. Returns all answers; a broken connection ends a caller. */
export async function race(
  callers: number, call: (caller: number) => Promise<Answer>, enough: (answer: Answer) => boolean,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  await Promise.all(Array.from({ length: callers }, async (_, caller) => {
    for (;;) {
      const answer = await call(caller).catch(() => null);
      if (answer === null) return;
      answers.push(answer);
      if (enough(answer)) return;
    }
  }));
  return answers;
}

export function countsOf(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code } of answers) counts[`${status} ${code}`] = (counts[`${status} ${code}`] ?? 0) + 1;
  return counts;
}

export async function granted<T>(answer: Promise<T | AdministrationRefusal> | T | AdministrationRefusal): Promise<T> {
  const result = await answer;
  if (isRefusal(result)) assert.fail(JSON.stringify(result));
  return result as T;
}
