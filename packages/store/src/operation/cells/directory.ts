/**
 * Which organization is in which cell, and whose a key is. It lies in the default cell, which also keeps the accounts. An organization that has
 * no place here is in the default cell, so a store without cells has empty tables. Decision 210.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { sql, type Kysely, type Transaction } from 'kysely';
import { refuse, type StoreRefusal } from '../../engine/refusal.ts';
import type { Schema } from '../../schema/schema.ts';
import type { StoreContext } from '../../sealing/context.ts';
import { cellNameForm, isCellName } from '../../engine/cell-url.ts';

/** The default cell: the store itself. */
export const homeCell = 0;
export const homeName = 'default';

export interface StoredCell {
  readonly number: number;
  readonly name: string;
  /** Empty: that of the directory. */
  readonly schema: string;
  /** Of its database, without a password; empty: that of the directory. */
  readonly address: string;
  /** A drained cell takes no new organizations; those that it has stay. */
  readonly state: 'open' | 'drained';
  readonly addedAtMs: number;
}

export interface OrganizationPlace {
  readonly organization: OrganizationId;
  readonly cell: number;
  /** False: it is being made, and its cell may not have it yet. */
  readonly ready: boolean;
}

/**
 * `lacking`: the cell lost it. `unplaced`: the directory lost it, so nobody finds it. `erased`: it was erased, and the cell
 * or the default cell has it again. `keys`: the directory does not know where these keys are, so nodes do not know them either.
 */
export interface CellDifference {
  readonly cell: StoredCell['name'];
  readonly what: 'lacking' | 'unplaced' | 'erased' | 'keys';
  readonly organization: OrganizationId;
  readonly name: string;
}

/** What the directory and the cells say differently, and which cells did not say. */
export interface CellComparison {
  readonly differences: readonly CellDifference[];
  /** Cells that failed while they were compared, and why. */
  readonly unread: readonly { readonly cell: StoredCell['name']; readonly why: string }[];
}

/** The hash of a key, and whose it is. */
interface PlacedKey {
  readonly hash: string;
  readonly organization: OrganizationId;
}

export interface Directory {
  /** By number; none: the store has no cells but itself. */
  cells(): Promise<StoredCell[]>;
  /** Records a cell whose schema is made. Refuses `invalid_name`, `cell_exists`. */
  add(cell: Pick<StoredCell, 'name' | 'schema' | 'address'>): Promise<StoredCell | StoreRefusal>;
  /** Refuses `unknown_cell`. */
  setState(name: string, state: StoredCell['state']): Promise<StoredCell | StoreRefusal>;
  /** How many organizations each cell has, those in the making included. Cells without any are left out. */
  loads(): Promise<ReadonlyMap<number, number>>;
  /** Where the next organization goes, by the server's clock. */
  next(): Promise<number>;
  /** The places of these organizations; one without a place is in the default cell, or does not exist. */
  placesOf(organizations: readonly string[]): Promise<OrganizationPlace[]>;
  places(): Promise<OrganizationPlace[]>;
  /** Those in the making. */
  unfinished(): Promise<OrganizationPlace[]>;
  /** Its cell has it, or it is erased everywhere. */
  settle(organization: OrganizationId): Promise<void>;
  /** It is about to be erased: until it is settled again, whoever keeps house finishes what its cell has begun. */
  beginErasure(organization: OrganizationId): Promise<void>;
  /** Those whose erasure was begun and is not settled. */
  erasing(): Promise<OrganizationPlace[]>;
  /** By hash, the organization of each key that belongs to one outside the default cell. */
  placesOfKeys(hashes: readonly string[]): Promise<ReadonlyMap<string, OrganizationPlace>>;
  noteKeys(organization: OrganizationId, hashes: readonly string[]): Promise<void>;
  /** Of this cell's service keys and tap keys, without revoked ones. */
  ownKeys(): Promise<readonly PlacedKey[]>;
  /** An erased organization has no keys. `hashes`: only of these, which became no keys. */
  forgetKeys(organization: OrganizationId, hashes?: readonly string[]): Promise<void>;
}

/** No process may miss a cell: each looks at the directory at least this often, and a cell takes organizations only after twice that. */
export const directoryLookMs = 5_000;

/** The open cell with the fewest organizations; among equals the one with the lowest number. One added just now is not known to every process yet. */
export function leastLoaded(cells: readonly StoredCell[], loads: ReadonlyMap<number, number>, nowMs: number): number {
  const taking = cells.filter(({ state, addedAtMs }) => state === 'open' && addedAtMs + 2 * directoryLookMs <= nowMs);
  return taking.reduce<{ number: number; load: number } | null>((least, { number }) => {
    const load = loads.get(number) ?? 0;
    return least === null || load < least.load ? { number, load } : least;
  }, null)?.number ?? homeCell;
}

export function directoryIn({ engine }: StoreContext): Directory {
  return {
    cells: () => engine.read(async (db) => (await db.selectFrom('cell').selectAll().orderBy('number').execute()).map(cellOf)),
    async add({ name, schema, address }) {
      if (!isCellName(name) || name === homeName) return refuse('invalid_name', cellNameForm);
      return engine.change<StoredCell>(async (transaction) => {
        const known = (await transaction.selectFrom('cell').selectAll().orderBy('number').execute()).map(cellOf);
        if (known.some((cell) => cell.name === name)) return refuse('cell_exists', 'There is already a cell with this name.');
        const addedAtMs = await serverMs(transaction);
        const home = { number: homeCell, name: homeName, schema: '', state: 'open', added_at_ms: 0, address: '' };
        if (known.length === 0) await transaction.insertInto('cell').values(home).execute();
        const number = Math.max(homeCell, ...known.map((cell) => cell.number)) + 1;
        await transaction.insertInto('cell').values({ number, name, schema, state: 'open', added_at_ms: addedAtMs, address }).execute();
        return { number, name, schema, state: 'open', addedAtMs, address };
      }, { action: 'addCell', organization: null, subject: name });
    },
    setState: (name, state) => engine.change<StoredCell>(async (transaction) => {
      const row = name.includes('\0') ? undefined
        : await transaction.updateTable('cell').set({ state }).where('name', '=', name).returningAll().executeTakeFirst();
      return row === undefined ? refuse('unknown_cell', 'There is no cell with this name.') : cellOf(row);
    }, { action: state === 'open' ? 'openCell' : 'drainCell', organization: null, subject: name }),
    loads: () => engine.read(loadsIn),
    next: () => engine.read(async (db) => {
      const cells = (await db.selectFrom('cell').selectAll().orderBy('number').execute()).map(cellOf);
      return cells.length === 0 ? homeCell : leastLoaded(cells, await loadsIn(db), await serverMs(db));
    }),
    placesOf: (organizations) => engine.read(async (db) => {
      const asked = organizations.filter((id) => !id.includes('\0'));
      const found: OrganizationPlace[] = [];
      for (let from = 0; from < asked.length; from += rowsAtOnce) {
        const some = asked.slice(from, from + rowsAtOnce);
        const rows = await db.selectFrom('organization_place').selectAll().where('organization', 'in', some).execute();
        found.push(...rows.map(placeFrom));
      }
      return found;
    }),
    places: () => engine.read(async (db) => (await db.selectFrom('organization_place').selectAll().execute()).map(placeFrom)),
    unfinished: () => engine.read(async (db) =>
      (await db.selectFrom('organization_place').selectAll().where('ready', '=', 0n).execute()).map(placeFrom)),
    settle: (organization) => engine.write((transaction) => setReady(transaction, organization, made)),
    beginErasure: (organization) => engine.write((transaction) => setReady(transaction, organization, beingErased)),
    erasing: () => engine.read(async (db) =>
      (await db.selectFrom('organization_place').selectAll().where('ready', '=', BigInt(beingErased)).execute()).map(placeFrom)),
    placesOfKeys: (hashes) => engine.read(async (db) => {
      const asked = hashes.filter((hash) => !hash.includes('\0'));
      if (asked.length === 0) return new Map();
      const rows = await db.selectFrom('key_place').innerJoin('organization_place', 'organization_place.organization', 'key_place.organization')
        .select(['key_place.hash', 'organization_place.organization', 'organization_place.cell', 'organization_place.ready'])
        .where('key_place.hash', 'in', asked).execute();
      return new Map(rows.map((row) => [row.hash, placeFrom(row)]));
    }),
    noteKeys: (organization, hashes) => engine.write(async (transaction) => {
      for (let from = 0; from < hashes.length; from += rowsAtOnce) {
        await transaction.insertInto('key_place').values(hashes.slice(from, from + rowsAtOnce).map((hash) => ({ hash, organization })))
          .onConflict((conflict) => conflict.doNothing()).execute();
      }
    }),
    ownKeys: () => engine.read(ownKeysIn),
    forgetKeys: (organization, hashes) => engine.write(async (transaction) => {
      await transaction.deleteFrom('key_place').where('organization', '=', organization)
        .$if(hashes !== undefined, (all) => all.where('hash', 'in', hashes!)).execute();
    }),
  };
}

const rowsAtOnce = 1_000;

/** What `ready` says; 0: it is in the making. */
const made = 1;
const beingErased = 2;

async function setReady(transaction: Transaction<Schema>, organization: OrganizationId, ready: typeof made | typeof beingErased): Promise<void> {
  await transaction.updateTable('organization_place').set({ ready }).where('organization', '=', organization).execute();
}

async function ownKeysIn(db: Kysely<Schema>): Promise<readonly PlacedKey[]> {
  const { rows } = await sql<PlacedKey>`select hash, organization from service_key where revoked_at_ms is null
    union all select f.hash, k.organization from service_key_former as f join service_key as k on k.id = f.key where k.revoked_at_ms is null
    union all select key_hash, organization from baseline where key_hash is not null`.execute(db);
  return rows;
}

async function loadsIn(db: Kysely<Schema>): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ cell: bigint; organizations: bigint }>`select coalesce(p.cell, ${sql.lit(homeCell)}) as cell,
    count(*) as organizations from organization as o left join organization_place as p on p.organization = o.id
    where not exists (select 1 from erased_organization as e where e.organization = o.id)
    group by coalesce(p.cell, ${sql.lit(homeCell)})`.execute(db);
  return new Map(rows.map(({ cell, organizations }) => [Number(cell), Number(organizations)]));
}

/** Processes on different machines would not agree on when a cell may be used. Only a PostgreSQL has cells. */
async function serverMs(db: Kysely<Schema>): Promise<number> {
  const { rows: [row] } = await sql<{ now_ms: bigint }>`select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now_ms`.execute(db);
  return Number(row!.now_ms);
}

function cellOf(row: {
  readonly number: bigint; readonly name: string; readonly schema: string; readonly state: string; readonly added_at_ms: bigint;
  readonly address: string;
}): StoredCell {
  return {
    number: Number(row.number), name: row.name, schema: row.schema, address: row.address, state: row.state as StoredCell['state'],
    addedAtMs: Number(row.added_at_ms),
  };
}

function placeFrom(row: { readonly organization: string; readonly cell: bigint; readonly ready: bigint }): OrganizationPlace {
  return { organization: row.organization as OrganizationId, cell: Number(row.cell), ready: row.ready !== 0n };
}
