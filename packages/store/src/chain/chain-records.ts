/**
 * Appends records to their organizations' chains, in the transaction that stores them. Design 3, row 24. It takes one locked row and one
 * update for each organization of a batch. The chain's head is signed each time, so that no stored record is unsigned. A permanent checkpoint
 * is stored every thousand records and every ten minutes of activity.
 */
import { wholeChain } from '@metergate/core/receipt/checkpoint.ts';
import { noDigest, recordLinkText, saltText, wordsOf, wordsText } from '@metergate/core/receipt/receipt.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { Selectable, Transaction } from 'kysely';
import { makeChain } from './make-chain.ts';
import { sha256, signCheckpoint, unsealChainKeys, type ChainKeys } from './receipt-keys.ts';
import type { ReceiptChainTable } from '../schema/receipt-schema.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../context.ts';

/** Where a record stands, as its row keeps it. */
export interface StoredReceipt {
  readonly sequence: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** 32 bytes: the digest of the record's words. */
  readonly words: Uint8Array;
}

export interface ChainWriter {
  /**
   * The places of `records`, in their order; chains and checkpoints are moved on. To be called once in a transaction, before the sums:
   * whoever ships the same organizations waits here, always in the same order.
   */
  chain(transaction: Transaction<Schema>, records: readonly CallRecord[]): Promise<readonly StoredReceipt[]>;
}

/** Records between two checkpoints that are kept, and milliseconds likewise. */
const keptEvery = 1_000;
const keptEveryMs = 600_000;
const keysMax = 10_000;

type ChainRow = Selectable<ReceiptChainTable>;

export function chainWriterIn(context: StoreContext): ChainWriter {
  const known = new Map<string, ChainKeys>();
  const keysFor = async (transaction: Transaction<Schema>, chain: ChainRow): Promise<ChainKeys> => {
    const held = known.get(chain.organization);
    if (held !== undefined && held.key === chain.key) return held;
    known.delete(chain.organization);
    const keys = await unsealChainKeys(context, transaction, chain);
    if (keys.privateKey === null || keys.secret === null) return keys;
    if (known.size >= keysMax) known.clear();
    known.set(chain.organization, keys);
    return keys;
  };
  return {
    async chain(transaction, records) {
      if (records.length === 0) return [];
      const places = new Map<CallRecord, StoredReceipt>();
      const byOrganization = Map.groupBy(records, ({ organization }): string => organization);
      const chains = await lockedChains(context, transaction, [...byOrganization.keys()].sort());
      for (const chain of chains) {
        const own = byOrganization.get(chain.organization)!;
        await addTo(context, transaction, { chain, keys: await keysFor(transaction, chain), records: own, places });
      }
      return records.map((record) => places.get(record)!);
    },
  };
}

/** In the order of their organizations, locked until the transaction ends; those that are missing are made first. */
async function lockedChains(context: StoreContext, transaction: Transaction<Schema>, organizations: readonly string[]): Promise<ChainRow[]> {
  const chains = () => transaction.selectFrom('receipt_chain').selectAll().where('organization', 'in', organizations).orderBy('organization');
  const locked = () => (context.engine.kind === 'postgres' ? chains().forUpdate() : chains()).execute();
  // Before any lock on a chain: two shippers that each make one and wait for the other's would wait for ever.
  const there = new Set((await transaction.selectFrom('receipt_chain').select('organization').where('organization', 'in', organizations).execute())
    .map(({ organization }) => organization));
  for (const organization of organizations) if (!there.has(organization)) await makeChain(context, transaction, organization);
  return locked();
}

interface Addition {
  readonly chain: ChainRow;
  readonly keys: ChainKeys;
  readonly records: readonly CallRecord[];
  readonly places: Map<CallRecord, StoredReceipt>;
}

async function addTo(context: StoreContext, transaction: Transaction<Schema>, { chain, keys, records, places }: Addition): Promise<void> {
  let sequence = Number(chain.sequence);
  let previous = Buffer.from(chain.hash).toString('hex');
  for (const record of records) {
    sequence += 1;
    const wordsDigest = digestOfWords(keys.secret, record);
    previous = sha256(recordLinkText({ sequence, previous, wordsDigest }, record));
    places.set(record, { sequence, hash: Buffer.from(previous, 'hex'), words: Buffer.from(wordsDigest, 'hex') });
  }
  const hash = Buffer.from(previous, 'hex');
  const { organization } = chain;
  const head = transaction.updateTable('receipt_chain').where('organization', '=', organization);
  if (keys.key === null || keys.privateKey === null) {
    await head.set({ sequence, hash }).execute();
    return;
  }
  const atMs = Math.floor(context.clock());
  const statement = { ...wholeChain, organization, key: keys.key, last: sequence, hash: previous, at: new Date(atMs).toISOString() };
  const signature = signCheckpoint(keys.privateKey, 'checkpoint', statement);
  await head.set({ sequence, hash, signed_last: sequence, signed_hash: hash, signed_key: keys.key, signed_at_ms: atMs, signature }).execute();
  if (isKept(chain, sequence, atMs)) {
    await transaction.insertInto('receipt_checkpoint')
      .values({ organization, kind: 'checkpoint', last: sequence, hash, key: keys.key, at_ms: atMs, signature }).execute();
  }
}

function digestOfWords(secret: string | null, record: CallRecord): string {
  return secret === null ? noDigest : sha256(wordsText(sha256(saltText(secret, record)), wordsOf(record)));
}

/** Every so many records, and where the head before this one was signed in another span of time. */
function isKept(chain: ChainRow, sequence: number, atMs: number): boolean {
  return Math.floor(Number(chain.sequence) / keptEvery) !== Math.floor(sequence / keptEvery)
    || (chain.signed_at_ms !== null && Math.floor(Number(chain.signed_at_ms) / keptEveryMs) !== Math.floor(atMs / keptEveryMs));
}
