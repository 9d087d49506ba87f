/** Both engines for the contract: fresh places for stores, and direct access to the tables, to damage them. */
import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { GatewayNodeId, OrganizationId, RequestId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { noWork, type CallRecord } from '@metergate/core/record/call-record.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import pg from 'pg';
import { schemaOfUrl } from '../engine/cell-url.ts';
import { isRefusal, type StoreRefusal } from '../engine/refusal.ts';
import type { CallBatch } from '../journal/call-sink.ts';
import { makeCell } from '../operation/cells/make-cell.ts';
import { openStore, type Store } from '../store.ts';

export interface EngineFixture {
  readonly name: 'sqlite' | 'postgres';
  /** The address of a place where no store is yet. */
  freshUrl(): Promise<string>;
  /** The address of a new store in a fresh place, as `openTestStore` makes it. It is a copy; making one is tested separately. */
  newStoreUrl(): Promise<string>;
  /** The address of a copy of a store that nobody has open. Null: stores cannot be copied there. */
  readonly copyOf: ((url: string) => Promise<string>) | null;
  /** One statement on the bare tables; `$1`, `$2` … on both engines. */
  query(url: string, statement: string, values?: readonly SQLInputValue[]): Promise<Record<string, unknown>[]>;
  /** How the engine would run a statement, if it never scanned a small table and never sorted a few rows. */
  planOf(url: string, statement: string): Promise<string>;
  /** Several statements on the bare tables, one after another in one transaction. */
  run(url: string, statements: readonly string[]): Promise<void>;
  killable(url: string): KillableClient;
  end(): Promise<void>;
}

/** The store for a process that is killed. */
export interface KillableClient {
  /** The address for that process alone. */
  readonly url: string;
  /** Resolves when nothing of the killed process continues: a server notices later, and may commit meanwhile what it had been sent. */
  gone(): Promise<void>;
}

/** A store that was just made, of this process. */
let newFile: Promise<Buffer> | null = null;
const makeStore = async (url: string): Promise<void> => (await openTestStore(url)).close();
/** Where a run's stores are cells, as `metergate cells add` makes it: distributed, on a server with Citus. */
const makeCellStore = async (url: string): Promise<void> => {
  const schema = schemaOfUrl(new URL(url));
  await (schema === null ? makeStore(url) : makeCell(url, schema, () => makeStore(url).then(() => true)));
};
const fileOf = (url: string): string => url.slice('sqlite:'.length);

/** Puts a new store, as `openTestStore` makes it, where nothing is yet at an address of SQLite. A copy: making one takes a tenth of a second. */
export async function putNewStore(url: string): Promise<void> {
  newFile ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'metergate-new-store-'));
    const made = `sqlite:${join(folder, 'store.db')}`;
    await makeStore(made);
    const file = readFileSync(fileOf(made));
    rmSync(folder, { recursive: true, force: true });
    return file;
  })();
  writeFileSync(fileOf(url), await newFile, { mode: 0o600 });
}

/** A database with a new store. It is a copy: making one takes PostgreSQL more than half a second of processor time. */
export function newDatabase(server: TestPostgres): Promise<string> {
  return server.copyOf('a_new_store', makeCellStore);
}

export function sqliteFixture(): EngineFixture {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-store-'));
  let count = 0;
  const freshUrl = async (): Promise<string> => `sqlite:${join(directory, `store-${++count}.db`)}`;
  const query: EngineFixture['query'] = async (url, statement, values = []) => {
    const database = new DatabaseSync(fileOf(url), { timeout: 5_000 });
    try {
      return database.prepare(statement.replace(/\$\d/g, '?')).all(...values);
    } finally {
      database.close();
    }
  };
  return {
    name: 'sqlite',
    freshUrl,
    async newStoreUrl() {
      const url = await freshUrl();
      await putNewStore(url);
      return url;
    },
    async copyOf(of) {
      const url = await freshUrl();
      copyFileSync(fileOf(of), fileOf(url));
      return url;
    },
    query,
    planOf: async (url, statement) => JSON.stringify(await query(url, `explain query plan ${statement}`)),
    async run(url, statements) {
      const database = new DatabaseSync(fileOf(url), { timeout: 5_000 });
      try {
        database.exec(['begin immediate', ...statements, 'commit'].join(';\n'));
      } finally {
        database.close();
      }
    },
    killable: (url) => ({ url, gone: async () => {} }),
    end: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

export async function postgresFixture(): Promise<EngineFixture> {
  const server: TestPostgres = await testPostgres();
  const connected = async <T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  };
  const query: EngineFixture['query'] = (url, statement, values = []) =>
    connected(url, async (client) => (await client.query<Record<string, unknown>>(statement, [...values])).rows);
  return {
    name: 'postgres',
    freshUrl: () => server.createDatabase(),
    newStoreUrl: () => newDatabase(server),
    copyOf: server.copy,
    query,
    planOf: (url, statement) => connected(url, async (client) => {
      // A worker of Citus plans for itself, and hears of what is set for a transaction alone.
      await client.query("begin; set local citus.propagate_set_commands = 'local'");
      await client.query('set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off');
      return JSON.stringify((await client.query(`explain ${statement}`)).rows);
    }),
    run: (url, statements) => connected(url, async (client) => void await client.query(statements.join(';\n'))),
    killable(url) {
      const name = `killed ${randomBytes(8).toString('hex')}`;
      const own = new URL(url);
      own.searchParams.set('application_name', name);
      return {
        url: own.href,
        async gone() {
          await eventually(async () => (await query(url, 'select 1 from pg_stat_activity where application_name = $1', [name])).length === 0);
        },
      };
    },
    end: () => server.stop(),
  };
}

export const testMasterKey = new Uint8Array(32).fill(7);
export const startMs = Date.UTC(2026, 0, 5);

/** A store with the test's master key and a clock that advances one millisecond at each reading. */
export function openTestStore(url: string, given: { readonly masterKey?: Uint8Array; readonly create?: boolean } = {}): Promise<Store> {
  let nowMs = startMs;
  return openStore({
    url, masterKey: given.masterKey ?? testMasterKey, clock: () => nowMs++, randomBytes: (n) => randomBytes(n),
    create: given.create ?? true,
  });
}

/** The result of a request that must not be refused. */
export async function granted<T>(answer: Promise<T | StoreRefusal>): Promise<T> {
  const result = await answer;
  if (isRefusal(result)) throw new Error(`refused: ${result.refused.code}`);
  return result;
}

/** The code of a refusal, or `granted`. */
export async function refusalCode(answer: Promise<unknown>): Promise<string> {
  const result = await answer;
  return isRefusal(result) ? result.refused.code : 'granted';
}

export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** A complete record; every field that can hold a value has one. */
export function sampleRecord(organization: OrganizationId, changes: Partial<CallRecord> = {}): CallRecord {
  return {
    id: `req_${randomBytes(16).toString('hex')}` as RequestId,
    organization,
    key: 'key_00000000000000000000' as ServiceKeyId,
    project: 'search',
    labels: ['a', 'naïve', '🤖'],
    labelsDropped: 2,
    run: null,
    wire: 'openai',
    endpoint: 'chat.completions',
    method: 'POST',
    path: '/v1/chat/completions',
    startedAtMs: startMs,
    node: 'node_00000000000000000000' as GatewayNodeId,
    streamed: true,
    status: 200,
    outcome: 'completed',
    model: 'gpt-6',
    requestedModel: 'gpt-6-latest',
    finishReason: 'stop',
    inputTokens: Number.MAX_SAFE_INTEGER,
    outputTokens: 0,
    cachedTokens: 3,
    cacheWriteTokens: null,
    reasoningTokens: 4,
    usage: 'reported',
    usageReason: null,
    cost: nanoDollars(123_456_789n),
    costGaps: [],
    serviceTier: 'flex',
    audioInputTokens: 7,
    audioOutputTokens: null,
    toolCalls: { webSearch: 1, webFetch: 0, fileSearch: 0, codeInterpreter: 2 },
    units: { cachedAudioTokens: 2, seconds: 1.25, pages: 3 },
    costSource: 'priced',
    pricedBy: 'model',
    cacheSavings: nanoDollars(-7n),
    transport: 'http',
    connection: null,
    session: 'session-of-an-agent',
    ...noWork,
    priceList: '2026-09-23/1f0c',
    providerRequestId: 'req-from-provider',
    requestBytes: 1_024,
    responseBytes: 60_000_000_000,
    firstByteMs: 12.345678,
    durationMs: 900,
    ...changes,
  };
}

/** The records with journal numbers from `firstSeq` on. */
export function batchOf(segment: string, records: readonly CallRecord[], firstSeq: number = 1): CallBatch {
  return { segment, through: firstSeq + records.length - 1, records: records.map((record, index) => ({ seq: firstSeq + index, record })) };
}

/** Whole numbers below `below`, the same at every run. */
export function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

export const shippedAtOnce = 100;

/** Batch `number` of one segment, the same records whenever and by whomever it is made. */
export function shippedAgain(organization: OrganizationId, number: number): CallBatch {
  const records = Array.from({ length: shippedAtOnce }, (_, index) => {
    const seq = number * shippedAtOnce + index + 1;
    const id = `req_${seq.toString(16).padStart(32, '0')}` as RequestId;
    return { seq, record: sampleRecord(organization, { id, startedAtMs: startMs + seq }) };
  });
  return { segment: 'seg_killed', through: (number + 1) * shippedAtOnce, records };
}
