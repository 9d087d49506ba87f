/**
 * The store of one cell by itself: everything the product remembers of its organizations, on SQLite or PostgreSQL behind one interface.
 * Faults throw a `StoreFault`, refusals return a `StoreRefusal`. Rules: Store; rules: Snapshots; rules 17 to 19 and 22.
 * Every change of settings takes the next revision in its own transaction and stamps the organization with it.
 */
import { accountRowsIn, type AccountRows } from '../../accounts/account-rows.ts';
import { auditedEngine, auditTrailIn, type AuditTrail } from '../audit-trail.ts';
import type { AuditIntent } from '../../engine/change.ts';
import { callPagesIn, type CallPages } from '../../calls/call-pages.ts';
import { keyNamesIn, type KeyNameTable } from '../../calls/key-names.ts';
import { callWalkIn, type CallWalk } from '../../calls/call-walk.ts';
import { callRecordsIn, type CallRecords } from '../../calls/call-records.ts';
import { spentDaysIn, type SpentDays } from '../../alerts/spent-days.ts';
import { nearCapsIn, type NearCaps } from '../../alerts/near-caps.ts';
import { alertWatchIn, type AlertWatch } from '../../alerts/alert-watch.ts';
import { capAlertsIn, type CapAlerts } from '../../alerts/cap-alerts.ts';
import { deliveriesIn, type Deliveries } from '../../alerts/deliveries.ts';
import { webhooksIn, type Webhooks } from '../../alerts/webhooks.ts';
import { workLeasesIn, type WorkLeases } from '../work-lease.ts';
import { followedWorksIn, type FollowedWorks } from '../../calls/settling/followed-works.ts';
import { settlementsIn } from '../../calls/settling/settlements.ts';
import { allocationIn, type StoredAllocation } from '../../settings/allocation-rules.ts';
import { monthBudgetsIn, type MonthBudgets } from '../../alerts/month-budgets.ts';
import { closedMonthsIn, type ClosedMonths } from '../../receipts/closed-months.ts';
import { monthWalkIn, type MonthWalk } from '../../receipts/month-walk.ts';
import { correctionsIn, type Corrections } from '../../spend/corrections.ts';
import { capsIn, type Caps } from '../../settings/caps.ts';
import { declaredUpstreamsIn, type DeclaredUpstreams } from '../../settings/declared-upstreams.ts';
import { namedUpstreamsIn, type NamedUpstreams } from '../../settings/named-upstreams.ts';
import { erasureIn, type Erasure } from '../../retention/erasure.ts';
import { hidingErasedWords } from '../../retention/hidden-words.ts';
import { invitationsIn, type Invitations } from '../../accounts/invitations.ts';
import { serverSettingsIn, type KeptServerSettings } from '../../settings/server-settings.ts';
import { platformAddressIn, type PlatformAddress } from '../../settings/platform-address.ts';
import { gatewayNodesIn, type GatewayNodes } from '../../spend/gateway-nodes.ts';
import { leasesIn, type Leases } from '../../spend/leases.ts';
import { machineSignInsIn, type MachineSignIns } from '../../accounts/machine-sign-ins.ts';
import { managementTokensIn, type ManagementTokens } from '../../accounts/management-tokens.ts';
import { masterKeyIn, type MasterKey } from '../../sealing/master-key-rotation.ts';
import { membersIn, type Members } from '../../accounts/members.ts';
import { grantsIn, type Grants } from '../../runs/grants.ts';
import { organizationsIn, type Organizations } from '../../settings/organizations.ts';
import { passwordLinksIn, type PasswordLinks } from '../../accounts/password-links.ts';
import { waysInIn, type WaysIn } from '../../accounts/ways-in.ts';
import { peopleIn, type People } from '../../accounts/people.ts';
import { providedPeopleIn, type ProvidedPeople } from '../../accounts/provided-people.ts';
import { callCorrectionsIn, type StoredCallCorrections } from '../../spend/call-corrections.ts';
import { storedPricesIn, type StoredPrices } from '../../settings/stored-prices.ts';
import { providerConnectionsIn, type ProviderConnections } from '../../settings/provider-connections.ts';
import type { Vault } from '../../sealing/vault.ts';
import { directoryIn, homeCell, homeName, type CellComparison, type Directory, type StoredCell } from './directory.ts';
import { refuse, type StoreRefusal } from '../../engine/refusal.ts';
import { guestsIn, type Guests } from './guests.ts';
import { receiptsIn, type Receipts } from '../../receipts/receipts.ts';
import { retentionIn, type Retention } from '../../retention/retention.ts';
import { runsIn, type StoredRuns } from '../../runs/runs.ts';
import { serviceKeysIn, type ServiceKeys } from '../../settings/service-keys.ts';
import { seedingIn, type Seeding } from '../../calls/seeding.ts';
import { settingsIn, type NodeSettings } from '../../settings/node-settings.ts';
import { figureProofsIn, type FigureProofs } from '../../receipts/proof/figure-proofs.ts';
import { spendReconcilerIn, type SpendReconciler } from '../../spend/spend-reconciler.ts';
import { correctedSpendIn } from '../../spend/corrected-spend.ts';
import type { SpentBesideNews } from '../../spend/spent-beside.ts';
import { spendSumsIn, type SpendSums } from '../../spend/spend-sums.ts';
import type { ChangeNotice, ChangeNotices } from '../../engine/change-notices.ts';
import type { StoreContext } from '../../sealing/context.ts';
import { openEngine, type Engine } from '../../engine/engine.ts';
import { prepareSchema, type UpgradeProgress } from '../../schema/migrations/prepare-schema.ts';
import { nodeReportsIn, type NodeReports } from '../node-reports.ts';
import { refusalHoursIn, type RefusalHours } from '../../usage/refusal-hours.ts';
import { refusalLogIn, type RefusalLog } from '../../usage/refusal-log.ts';
import { savedViewsIn, type SavedViews } from '../../accounts/saved-views.ts';
import { feedNumbersIn } from '../../engine/feed-numbers.ts';
import { hourReportsIn, type HourReports } from '../../usage/hour-reports.ts';
import { usedNamesIn, type UsedNames } from '../../usage/names-used.ts';
import { usageReportsIn, type UsageReports } from '../../usage/usage-reports.ts';
import { baselinesIn, type Baselines } from '../../tap/baselines.ts';
import { tapEventsIn, type TapEvents } from '../../tap/tap-events.ts';

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
  /** Hears how far the upgrade of an older store has come. */
  readonly progress?: (progress: UpgradeProgress) => void;
  /** Told once for each cell, with the server's code, when names of statements are no longer of use. */
  readonly namesLost?: (code: string) => void;
}

export interface Store extends Repositories {
  readonly engine: 'sqlite' | 'postgres';
  /** Where its organizations are. */
  readonly cells: StoreCells;
  /** The same store, with a row of the audit trail in each transaction that changes something through it. */
  acting(intent: AuditIntent): Store;
  /** Reports changes as they commit, if the engine can. A regular look must find all of them anyway. */
  listen(told: (notice: ChangeNotice) => void): ChangeNotices;
  /** See `Engine.checkpoint`. */
  checkpoint(): Promise<void>;
  /** Ends all connections. No method may be called afterwards. */
  close(): Promise<void>;
}

/** What a store remembers, by subject. */
export interface Repositories {
  readonly directory: Directory;
  readonly guests: Guests;
  readonly organizations: Organizations;
  readonly serviceKeys: ServiceKeys;
  readonly providers: ProviderConnections;
  readonly upstreams: DeclaredUpstreams;
  readonly namedUpstreams: NamedUpstreams;
  readonly settings: NodeSettings;
  readonly calls: CallRecords;
  readonly settlements: SpentBesideNews;
  readonly correctedSpend: SpentBesideNews;
  readonly followedWorks: FollowedWorks;
  readonly callPages: CallPages;
  readonly callWalk: CallWalk;
  readonly keyNames: KeyNameTable;
  readonly usageReports: UsageReports;
  readonly usedNames: UsedNames;
  readonly seeding: Seeding;
  readonly hourReports: HourReports;
  readonly caps: Caps;
  readonly refusalHours: RefusalHours;
  readonly refusalLog: RefusalLog;
  readonly nodeReports: NodeReports;
  readonly savedViews: SavedViews;
  readonly corrections: Corrections;
  readonly months: ClosedMonths;
  readonly monthWalk: MonthWalk;
  readonly allocation: StoredAllocation;
  readonly monthBudgets: MonthBudgets;
  readonly callCorrections: StoredCallCorrections;
  readonly spend: SpendSums;
  readonly spendReconciler: SpendReconciler;
  readonly figureProofs: FigureProofs;
  readonly runs: StoredRuns;
  readonly receipts: Receipts;
  readonly retention: Retention;
  readonly spentDays: SpentDays;
  readonly capAlerts: CapAlerts;
  readonly alertWatch: AlertWatch;
  readonly nearCaps: NearCaps;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly workLeases: WorkLeases;
  readonly leases: Leases;
  readonly gatewayNodes: GatewayNodes;
  readonly grants: Grants;
  readonly prices: StoredPrices;
  readonly people: People;
  readonly passwordLinks: PasswordLinks;
  readonly waysIn: WaysIn;
  readonly providedPeople: ProvidedPeople;
  readonly accounts: AccountRows;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly managementTokens: ManagementTokens;
  readonly machineSignIns: MachineSignIns;
  readonly baselines: Baselines;
  readonly tapEvents: TapEvents;
  readonly erasure: Erasure;
  readonly masterKey: MasterKey;
  readonly platformAddress: PlatformAddress;
  readonly serverSettings: KeptServerSettings;
  readonly audit: AuditTrail;
}

/** One cell. `store` opens it if need be. */
export interface StoreCell {
  readonly number: number;
  readonly name: string;
  /** @throws StoreFault where it is away. */
  store(): Promise<Store>;
}

export interface ShownCell extends Pick<StoredCell, 'name' | 'state' | 'address'> {
  readonly organizations: number;
  /** Null: it answers. Otherwise a sentence why not. */
  readonly away: string | null;
  /** From when on it takes organizations. */
  readonly takesFromMs: number;
}

/** The cells of a store, for those who look after it. */
export interface StoreCells {
  /** All of them, the default cell first; empty: there are none but the store itself. Each is asked whether it answers. */
  list(): Promise<ShownCell[]>;
  /**
   * Makes a cell in a schema of its name, in the directory's database or in that of `address`, which holds no password. Repeatable until it is
   * listed. Refuses `invalid_name`, `cell_exists`, `invalid_setting`.
   */
  add(name: string, address?: string): Promise<StoredCell | StoreRefusal>;
  /** A drained cell takes no new organizations. Refuses `unknown_cell`. */
  setState(name: string, state: StoredCell['state']): Promise<StoredCell | StoreRefusal>;
  /** Each cell by itself, for work that goes through all of them. At least one. */
  each(): readonly StoreCell[];
  /** The number of the cell that an organization is in. @throws StoreFault if the directory cannot be asked. */
  numberOf(organization: string): Promise<number>;
  /** What the directory and the cells that answer say differently of organizations. */
  compare(): Promise<CellComparison>;
  /** Has them say the same; returns what it mended. */
  mend(): Promise<CellComparison>;
  /** Looks at the directory, and does what a process did not finish between two cells. */
  keepHouse(): Promise<void>;
}

/** There is no cell beside the default one. */
export const nothingCompared: CellComparison = { differences: [], unread: [] };
const needsServer = 'Cells are schemas of a PostgreSQL database. This store is a file.';

/** The cells of a store that is not a directory: it is its own only cell. */
function aloneOf(store: () => Store): StoreCells {
  return {
    list: async () => [],
    add: async () => refuse('invalid_setting', needsServer),
    setState: async () => refuse('unknown_cell', 'There is no cell with this name.'),
    each: () => [{ number: homeCell, name: homeName, store: async () => store() }],
    numberOf: async () => homeCell,
    compare: async () => nothingCompared,
    mend: async () => nothingCompared,
    keepHouse: async () => {},
  };
}

interface OneStore extends Omit<StoreOptions, 'masterKey'> {
  readonly vault: Vault;
  readonly follows: boolean;
  readonly isCell?: boolean;
  /** As `prepareSchema` takes it. */
  readonly beforeUpgrade?: (engine: Engine, from: number) => Promise<void>;
}

/** Opens one cell by itself. @throws StoreFault */
export async function openOne(
  { url, vault, clock, randomBytes, create, progress, namesLost, follows, isCell = false, beforeUpgrade }: OneStore,
): Promise<Store> {
  const engine = await openEngine(url, { create, isCell, ...(namesLost === undefined ? {} : { namesLost }) });
  try {
    await prepareSchema(engine, {
      create, vault, randomBytes, follows, ...(progress === undefined ? {} : { progress }), ...(beforeUpgrade === undefined ? {} : { beforeUpgrade }),
    });
  } catch (error) {
    await engine.close();
    throw error;
  }
  return storeOn({ engine, background: engine, feeds: feedNumbersIn(engine), vault, clock, randomBytes });
}

function storeOn(context: StoreContext): Store {
  const readers = hidingErasedWords(context.engine, {
    callPages: callPagesIn(context), callWalk: callWalkIn(context), usageReports: usageReportsIn(context),
    usedNames: usedNamesIn(context), monthWalk: monthWalkIn(context), callCorrections: callCorrectionsIn(context), receipts: receiptsIn(context),
  });
  const store: Store = {
    engine: context.engine.kind,
    cells: aloneOf(() => store),
    directory: directoryIn(context), guests: guestsIn(context),
    organizations: organizationsIn(context),
    serviceKeys: serviceKeysIn(context),
    providers: providerConnectionsIn(context),
    upstreams: declaredUpstreamsIn(context),
    namedUpstreams: namedUpstreamsIn(context),
    settings: settingsIn(context),
    calls: callRecordsIn(context),
    ...readers,
    settlements: settlementsIn(context),
    correctedSpend: correctedSpendIn(context),
    followedWorks: followedWorksIn(context),
    keyNames: keyNamesIn(context),
    seeding: seedingIn(context), hourReports: hourReportsIn(context),
    caps: capsIn(context),
    refusalHours: refusalHoursIn(context),
    refusalLog: refusalLogIn(context),
    nodeReports: nodeReportsIn(context),
    savedViews: savedViewsIn(context),
    corrections: correctionsIn(context),
    months: closedMonthsIn(context),
    allocation: allocationIn(context),
    monthBudgets: monthBudgetsIn(context),
    spend: spendSumsIn(context),
    spendReconciler: spendReconcilerIn(context),
    figureProofs: figureProofsIn(context),
    runs: runsIn(context),
    retention: retentionIn(context),
    spentDays: spentDaysIn(context),
    capAlerts: capAlertsIn(context),
    alertWatch: alertWatchIn(context),
    nearCaps: nearCapsIn(context),
    webhooks: webhooksIn(context),
    deliveries: deliveriesIn(context),
    workLeases: workLeasesIn(context),
    leases: leasesIn(context),
    gatewayNodes: gatewayNodesIn(context),
    grants: grantsIn(context),
    prices: storedPricesIn(context),
    people: peopleIn(context),
    passwordLinks: passwordLinksIn(context),
    waysIn: waysInIn(context),
    providedPeople: providedPeopleIn(context),
    accounts: accountRowsIn(context),
    members: membersIn(context),
    invitations: invitationsIn(context),
    managementTokens: managementTokensIn(context), machineSignIns: machineSignInsIn(context),
    baselines: baselinesIn(context),
    tapEvents: tapEventsIn(context),
    erasure: erasureIn(context),
    masterKey: masterKeyIn(context),
    platformAddress: platformAddressIn(context),
    serverSettings: serverSettingsIn(context),
    audit: auditTrailIn(context),
    acting: (intent) => storeOn({ ...context, engine: auditedEngine(context, intent) }),
    listen: (told) => context.engine.listen(told),
    checkpoint: () => context.engine.checkpoint(),
    close: () => context.engine.close(),
  };
  return store;
}
