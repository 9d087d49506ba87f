/**
 * The store: everything the product remembers, on SQLite or PostgreSQL behind one interface.
 * Faults throw a `StoreFault`, refusals return a `StoreRefusal`. Design 2 (Store, Snapshots), 3 rows 17 to 19 and 22.
 * Every change of settings takes the next revision in its own transaction and stamps the organization with it.
 */
import { accountRowsIn, type AccountRows } from './account-rows.ts';
import { auditedEngine, auditTrailIn, type AuditIntent, type AuditTrail } from './audit-trail.ts';
import { callPagesIn, type CallPages } from './call-pages.ts';
import { callWalkIn, type CallWalk } from './call-walk.ts';
import { callRecordsIn, type CallRecords } from './call-records.ts';
import { capsIn, type Caps } from './caps.ts';
import { declaredUpstreamsIn, type DeclaredUpstreams } from './declared-upstreams.ts';
import { erasureIn, type Erasure } from './erasure.ts';
import { invitationsIn, type Invitations } from './invitations.ts';
import { platformAddressIn, type PlatformAddress } from './platform-address.ts';
import { leasesIn, type Leases } from './leases.ts';
import { managementTokensIn, type ManagementTokens } from './management-tokens.ts';
import { masterKeyIn, type MasterKey } from './master-key-rotation.ts';
import { membersIn, type Members } from './members.ts';
import { grantsIn, type Grants } from './grants.ts';
import { organizationsIn, type Organizations } from './organizations.ts';
import { peopleIn, type People } from './people.ts';
import { priceOverlayIn, type PriceOverlay } from './price-overlay.ts';
import { providerConnectionsIn, type ProviderConnections } from './provider-connections.ts';
import { createVault, type Vault } from './sealing/vault.ts';
import { runsIn, type Runs } from './runs.ts';
import { serviceKeysIn, type ServiceKeys } from './service-keys.ts';
import { settingsIn, type Settings } from './settings.ts';
import { spendReconcilerIn, type SpendReconciler } from './spend-reconciler.ts';
import { spendSumsIn, type SpendSums } from './spend-sums.ts';
import type { ChangeNotice, ChangeNotices } from './sql/change-notices.ts';
import { openEngine, type Engine } from './sql/engine.ts';
import { prepareSchema } from './sql/prepare-schema.ts';
import { usageReportsIn, type UsageReports } from './usage-reports.ts';
import { baselinesIn, type Baselines } from './tap/baselines.ts';
import { tapEventsIn, type TapEvents } from './tap/tap-events.ts';

/** What opening a store takes. */
export interface StoreOptions {
  /** `sqlite:/path/to/file` or `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** 32 bytes. Kept in memory only. */
  readonly masterKey: Uint8Array;
  /** Wall time in milliseconds since the epoch. */
  readonly clock: () => number;
  /** `n` bytes from a cryptographic source. */
  readonly randomBytes: (n: number) => Uint8Array;
  /** True: makes the schema, or brings an older one up to date. False: `store_absent` or `schema_older`. */
  readonly create: boolean;
}

export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  readonly organizations: Organizations;
  readonly serviceKeys: ServiceKeys;
  readonly providers: ProviderConnections;
  readonly upstreams: DeclaredUpstreams;
  readonly settings: Settings;
  readonly calls: CallRecords;
  readonly callPages: CallPages;
  readonly callWalk: CallWalk;
  readonly usageReports: UsageReports;
  readonly caps: Caps;
  readonly spend: SpendSums;
  readonly spendReconciler: SpendReconciler;
  readonly runs: Runs;
  readonly leases: Leases;
  readonly grants: Grants;
  readonly prices: PriceOverlay;
  readonly people: People;
  readonly accounts: AccountRows;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly managementTokens: ManagementTokens;
  readonly baselines: Baselines;
  readonly tapEvents: TapEvents;
  readonly erasure: Erasure;
  readonly masterKey: MasterKey;
  readonly platformAddress: PlatformAddress;
  readonly audit: AuditTrail;
  /** The same store, with a row of the audit trail in each transaction that changes something through it. */
  acting(intent: AuditIntent): Store;
  /** Tells of changes as they commit, where the engine can; a regular look must find them all the same. */
  listen(told: (notice: ChangeNotice) => void): ChangeNotices;
  /** Ends all connections. No method may be called afterwards. */
  close(): Promise<void>;
}

/** What every part of the store works with. */
export interface StoreGround {
  readonly engine: Engine;
  /** The engine without an audit trail: for what goes on after a change, and was recorded with it. */
  readonly background: Engine;
  readonly vault: Vault;
  readonly clock: () => number;
  readonly randomBytes: (n: number) => Uint8Array;
}

/**
 * Opens the store, or says in one sentence why it cannot.
 * @throws StoreFault; nothing stays open then, and nothing half-made is left behind.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, masterKey, clock, randomBytes, create } = options;
  const vault = createVault(masterKey, randomBytes);
  const engine = await openEngine(url, { create });
  try {
    await prepareSchema(engine, { create, vault, randomBytes });
  } catch (error) {
    await engine.close();
    throw error;
  }
  return storeOn({ engine, background: engine, vault, clock, randomBytes });
}

function storeOn(ground: StoreGround): Store {
  return {
    engine: ground.engine.kind,
    organizations: organizationsIn(ground),
    serviceKeys: serviceKeysIn(ground),
    providers: providerConnectionsIn(ground),
    upstreams: declaredUpstreamsIn(ground),
    settings: settingsIn(ground),
    calls: callRecordsIn(ground),
    callPages: callPagesIn(ground),
    callWalk: callWalkIn(ground),
    usageReports: usageReportsIn(ground),
    caps: capsIn(ground),
    spend: spendSumsIn(ground),
    spendReconciler: spendReconcilerIn(ground),
    runs: runsIn(ground),
    leases: leasesIn(ground),
    grants: grantsIn(ground),
    prices: priceOverlayIn(ground),
    people: peopleIn(ground),
    accounts: accountRowsIn(ground),
    members: membersIn(ground),
    invitations: invitationsIn(ground),
    managementTokens: managementTokensIn(ground),
    baselines: baselinesIn(ground),
    tapEvents: tapEventsIn(ground),
    erasure: erasureIn(ground),
    masterKey: masterKeyIn(ground),
    platformAddress: platformAddressIn(ground),
    audit: auditTrailIn(ground),
    acting: (intent) => storeOn({ ...ground, engine: auditedEngine(ground, intent) }),
    listen: (told) => ground.engine.listen(told),
    close: () => ground.engine.close(),
  };
}
