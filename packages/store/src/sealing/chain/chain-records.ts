/**
 * Appends records to their organizations' chains, in the transaction that stores them. Rule 24. It takes one locked row and one
 * update for each organization of a batch. The chain's head is signed each time, so that no stored record is unsigned. A permanent checkpoint
 * is stored every thousand records and every ten minutes of activity.
 */
import { wholeChain } from '@metergate/core/books/receipt/checkpoint.ts';
import { noDigest } from '@metergate/core/books/receipt/receipt.ts';
import { recordLinkText, recordSaltText, recordWordsText } from '@metergate/core/books/receipt/record-texts.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { Kysely, Selectable } from 'kysely';
import { updateRows, type BulkColumn } from '../../engine/bulk.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Send } from '../../engine/send.ts';
import { onBoth, onEach, wordsFrom, wordsGiven } from '../../engine/texts.ts';
import { makeChain } from './make-chain.ts';
import { sha256, signCheckpoint, unsealChainKeys, type ChainKeys } from './receipt-keys.ts';
import { giveWay } from '../../threads/give-way.ts';
import type { ReceiptChainTable } from '../../schema/receipt-schema.ts';
import type { Schema } from '../../schema/schema.ts';
import type { StoreContext } from '../context.ts';

/** Where a record stands, as its row keeps it. */
export interface StoredReceipt {
  readonly sequence: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** 32 bytes: the digest of the record's words. */
  readonly words: Uint8Array;
}

/** Chains of organizations, locked until the transaction ends, with the keys that sign them. */
export type LockedChains = ReadonlyMap<string, { readonly chain: ChainRow; readonly keys: ChainKeys }>;

export interface ChainWriter {
  /**
   * Before the transaction: makes what chains there are not, and unseals what keys are not held. Costs nothing for organizations that it was
   * asked for before.
   */
  ready(organizations: Iterable<string>): Promise<ReadyChains>;
  /**
   * Locks them, in the order of the organizations, each time the same. To be sent before the sums. @throws ChainChanged where one is not as it
   * was made ready: then all of it is to be done again.
   */
  lock(send: Send, ready: ReadyChains): Promise<LockedChains>;
  /** The digest of a record's words, which can be made before its chain is locked. */
  words(record: CallRecord, ready: ReadyChains): string;
  /**
   * The places of `records`, in their order; chains and checkpoints are moved on. `digests`: of their words. Call this once in a transaction.
   */
  chain(send: Send, chains: LockedChains, chained: { readonly records: readonly CallRecord[]; readonly digests: readonly string[] }):
    readonly StoredReceipt[];
}

/** Keys by organization. */
export type ReadyChains = ReadonlyMap<string, ChainKeys>;

/** A chain has another key than a moment ago, or is gone. */
export class ChainChanged extends Error {}

/** Records between two checkpoints that are kept, and milliseconds likewise. */
const keptEvery = 1_000;
const keptEveryMs = 600_000;
const keysMax = 10_000;

type ChainRow = Selectable<ReceiptChainTable>;

const lockStatements = onEach((engine) => `select * from receipt_chain where organization in ${wordsGiven(engine)}
  order by organization${engine === 'postgres' ? ' for update' : ''}`);

export function chainWriterIn(context: StoreContext): ChainWriter {
  const { kind } = context.engine;
  const known = new Map<string, ChainKeys>();
  return {
    async ready(organizations) {
      const all = [...new Set(organizations)].sort();
      const missing = all.filter((organization) => !known.has(organization));
      const found = missing.length === 0 ? null : await keysOf(context, missing);
      const ready = new Map(all.map((organization) => [organization, known.get(organization) ?? found!.get(organization)!]));
      if (known.size + missing.length > keysMax) known.clear();
      for (const [organization, keys] of found ?? []) if (isSettled(keys)) known.set(organization, keys);
      return ready;
    },
    async lock(send, ready) {
      const rows = ready.size === 0 ? [] : await send<ChainRow>(lockStatements[kind], [wordsFrom(kind, [...ready.keys()])]);
      const chains = new Map(rows.map((chain) => [chain.organization, { chain, keys: ready.get(chain.organization)! }]));
      for (const [organization, { key }] of ready) {
        if (chains.get(organization)?.chain.key === key) continue;
        known.delete(organization);
        throw new ChainChanged('a chain is not as it was made ready');
      }
      return chains;
    },
    words: (record, ready) => digestOfWords(ready.get(record.organization)!.secret, record),
    chain(send, chains, { records, digests }) {
      const places: StoredReceipt[] = [];
      const [moved, signed]: [MovedHead[], SignedHead[]] = [[], []];
      for (const [organization, own] of Map.groupBy(records.keys(), (index): string => records[index]!.organization)) {
        const head = addTo(context, send, { ...chains.get(organization)!, own, records, digests, places });
        if ('signature' in head) signed.push(head);
        else moved.push(head);
      }
      moveHeads(kind, send, movedColumns, moved);
      moveHeads(kind, send, signedColumns, signed);
      return places;
    },
  };
}

async function keysOf(context: StoreContext, organizations: readonly string[]): Promise<ReadonlyMap<string, ChainKeys>> {
  const { background: engine } = context;
  const chains = (db: Kysely<Schema>) => db.selectFrom('receipt_chain').select(['organization', 'key', 'secret_sealed'])
    .where('organization', 'in', organizations).execute();
  const there = new Set((await engine.read(chains)).map(({ organization }) => organization));
  const missing = organizations.filter((organization) => !there.has(organization));
  if (missing.length > 0) await makeChains(context, missing);
  return engine.read(async (db) => {
    const keys = new Map<string, ChainKeys>();
    for (const chain of await chains(db)) keys.set(chain.organization, await unsealChainKeys(context, db, chain));
    return keys;
  });
}

/** What cannot be unsealed now may be later. A missing key stays missing until the chain names one. */
function isSettled({ key, privateKey, secret }: ChainKeys): boolean {
  return key === null || (privateKey !== null && secret !== null);
}

/**
 * In a separate transaction: two shippers that each held a chain and made one that the other waits for would wait for ever. Not while a change of
 * these organizations is under way: a first cap goes by whether there is a chain.
 */
function makeChains(context: StoreContext, organizations: readonly string[]): Promise<void> {
  const { background: engine } = context;
  return engine.write(async (transaction) => {
    if (engine.kind === 'postgres') {
      await transaction.selectFrom('organization').select('id').where('id', 'in', organizations).orderBy('id').forShare().execute();
    }
    for (const organization of organizations) await makeChain(context, transaction, organization);
  });
}

interface Addition {
  readonly chain: ChainRow;
  readonly keys: ChainKeys;
  /** Which of the records are the chain's. */
  readonly own: readonly number[];
  readonly records: readonly CallRecord[];
  readonly digests: readonly string[];
  readonly places: StoredReceipt[];
}

/** A chain's new head, which nobody can sign now. */
interface MovedHead {
  readonly organization: string;
  readonly sequence: number;
  readonly hash: Uint8Array;
}

interface SignedHead extends MovedHead {
  readonly key: string;
  readonly atMs: number;
  readonly signature: Uint8Array;
}

const movedColumns: readonly BulkColumn<MovedHead>[] = [
  { name: 'organization', kind: 'text', value: (head) => head.organization },
  { name: 'sequence', kind: 'whole', value: (head) => head.sequence },
  { name: 'hash', kind: 'bytes', value: (head) => head.hash },
];
const signedColumns: readonly BulkColumn<SignedHead>[] = [
  ...movedColumns,
  { name: 'signed_last', kind: 'whole', value: (head) => head.sequence },
  { name: 'signed_hash', kind: 'bytes', value: (head) => head.hash },
  { name: 'signed_key', kind: 'text', value: (head) => head.key },
  { name: 'signed_at_ms', kind: 'whole', value: (head) => head.atMs },
  { name: 'signature', kind: 'bytes', value: (head) => head.signature },
];

/** One statement for all: a server reads each anew, and a batch of twenty organizations was twenty of them. */
function moveHeads<Head>(kind: Engine['kind'], send: Send, columns: readonly BulkColumn<Head>[], heads: readonly Head[]): void {
  updateRows(kind, send, { table: 'receipt_chain', key: columns.slice(0, 1), set: columns.slice(1) }, heads);
}

const keep = onBoth(`insert into receipt_checkpoint (organization, kind, last, hash, key, at_ms, signature)
  values ($1, 'checkpoint', $2, $3, $4, $5, $6)`);

function addTo(context: StoreContext, send: Send, { chain, keys, own, records, digests, places }: Addition): MovedHead | SignedHead {
  let sequence = Number(chain.sequence);
  let previous = Buffer.from(chain.hash).toString('hex');
  for (const index of own) {
    giveWay();
    sequence += 1;
    const wordsDigest = digests[index]!;
    previous = sha256(recordLinkText({ sequence, previous, wordsDigest }, records[index]!));
    places[index] = { sequence, hash: Buffer.from(previous, 'hex'), words: Buffer.from(wordsDigest, 'hex') };
  }
  const hash = Buffer.from(previous, 'hex');
  const { organization } = chain;
  const { kind } = context.engine;
  if (keys.key === null || keys.privateKey === null) return { organization, sequence, hash };
  const atMs = Math.floor(context.clock());
  const statement = { ...wholeChain, organization, key: keys.key, last: sequence, hash: previous, at: new Date(atMs).toISOString() };
  const signature = signCheckpoint(keys.privateKey, 'checkpoint', statement);
  if (isKept(chain, sequence, atMs)) void send(keep[kind], [organization, sequence, hash, keys.key, atMs, signature]);
  return { organization, sequence, hash, key: keys.key, atMs, signature };
}

function digestOfWords(secret: string | null, record: CallRecord): string {
  return secret === null ? noDigest : sha256(recordWordsText(sha256(recordSaltText(secret, record)), record));
}

/** Every `keptEvery` records, and whenever the previous head was signed in another span of time. */
function isKept(chain: ChainRow, sequence: number, atMs: number): boolean {
  return Math.floor(Number(chain.sequence) / keptEvery) !== Math.floor(sequence / keptEvery)
    || (chain.signed_at_ms !== null && Math.floor(Number(chain.signed_at_ms) / keptEveryMs) !== Math.floor(atMs / keptEveryMs));
}
