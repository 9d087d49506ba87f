/**
 * Where each method of the store goes when there are cells: the one place that decides in which cell something is done. It names every method of
 * every repository, so that a method that is added and forgotten here does not compile. Accounts, prices and settings of the deployment are in
 * the default cell; all else of an organization is in its own cell. Decision 210.
 */
import type { Repositories } from './one-store.ts';
import { routedAudit } from './routed-audit.ts';
import { routedErasure, routedMasterKey, routedNodes, routedReconciler, routedSeeding } from './routed-everywhere.ts';
import { routedBaselines, routedCaps, routedServiceKeys, routedTapEvents } from './routed-keys.ts';
import { routedGuests, routedInvitations, routedMembers, routedPasswordLinks, routedProvidedPeople } from './routed-members.ts';
import { routedOrganizations } from './routed-organizations.ts';
import type { RoutesOf } from './route.ts';

type Routes = { readonly [R in keyof Repositories]: RoutesOf<Repositories[R]> };

export const routes: Routes = {
  directory: {
    cells: 'home', add: 'home', setState: 'home', loads: 'home', next: 'home', placesOf: 'home', places: 'home', unfinished: 'home', settle: 'home',
    beginErasure: 'home', erasing: 'home',
    placesOfKeys: 'home', noteKeys: 'home', ownKeys: 'home', forgetKeys: 'home',
  },
  guests: routedGuests,
  organizations: routedOrganizations,
  serviceKeys: routedServiceKeys,
  providers: { connect: 'first', disconnect: 'first', version: 'first', state: 'first' },
  upstreams: { declare: 'first', enable: 'first', disable: 'first', remove: 'first', show: 'first' },
  namedUpstreams: { declare: 'first', enable: 'first', disable: 'first', remove: 'first', list: 'first' },
  settings: {
    revision: 'home', organization: 'first', hashesUsedSince: 'each', changedSince: 'each', keysByHash: 'each',
    keyByHash: async ({ ofKey }, hash) => (await ofKey(hash)).settings.keyByHash(hash),
  },
  calls: { ship: 'each', mark: 'each', recorded: 'each', writtenUntilMs: 'each' },
  settlements: { latest: 'each', after: 'each' },
  correctedSpend: { latest: 'each', after: 'each' },
  followedWorks: { due: 'each', again: 'field', forget: 'each' },
  callPages: {
    page: 'field', beganBy: 'first',
    find: async ({ of, firstKnown }, organization, id) => (organization === null
      ? firstKnown((store) => store.callPages.find(null, id)) : (await of(organization)).callPages.find(organization, id)),
  },
  callWalk: { walk: 'stream', costs: 'stream' },
  keyNames: { names: 'first', owner: 'known' },
  usageReports: { usage: 'field' },
  usedNames: { holding: 'field' },
  seeding: routedSeeding,
  hourReports: { steps: 'field' },
  caps: routedCaps,
  refusalHours: { add: 'each', byKey: 'field', steps: 'field' },
  refusalLog: { add: 'each', page: 'field' },
  nodeReports: { say: 'home', list: 'home', listUnsettled: 'home' },
  savedViews: { list: 'home', save: 'home', remove: 'home' },
  corrections: { record: 'field', list: 'field', remove: { within: 1 } },
  months: { list: 'first', names: 'field', parts: 'field', close: 'field', reopen: 'field' },
  monthWalk: { calls: 'stream', callsAfter: 'stream' },
  allocation: { find: 'first', set: 'first' },
  monthBudgets: { set: 'field', list: 'first', remove: { within: 1 }, tell: 'field' },
  callCorrections: { replace: 'field', of: 'field', sums: 'field' },
  spend: { sumsOfAll: 'list', cappedSums: 'list' },
  spendReconciler: routedReconciler,
  figureProofs: {
    prove: 'first', all: async ({ everywhere }) => (await everywhere((store) => store.figureProofs.all())).flat(),
    differences: async ({ everywhere }, limit) =>
      (await everywhere((store) => store.figureProofs.differences(limit))).flat().slice(0, limit),
  },
  runs: {
    open: 'list', get: 'field', list: 'field', story: 'field', close: 'field', confirm: 'list',
    sweep: 'each', names: 'each', feed: 'each', changes: 'each',
  },
  receipts: {
    open: 'first', standing: 'first', spanOfTime: 'first', checkpointsAround: 'first', hashBefore: 'first', page: 'first', find: { within: 1 },
    rotateKey: 'first',
  },
  retention: {
    organizations: async ({ everywhere }) => (await everywhere((store) => store.retention.organizations())).flat(),
    removeSlice: 'first', progress: 'first', oldestMs: 'first', behind: 'each',
  },
  spentDays: { of: 'first' },
  capAlerts: { set: 'field', list: 'first', remove: { within: 1 } },
  alertWatch: { caps: 'each', runs: 'each', listening: 'each', raise: 'field' },
  nearCaps: { count: 'each' },
  webhooks: {
    create: 'field', list: 'first', find: { within: 1 }, setEvents: { within: 2 }, remove: { within: 1 }, test: { within: 1 }, secret: 'field',
  },
  deliveries: { list: { within: 2 }, find: { within: 1 }, take: 'each', retake: 'each', settle: 'each', prune: 'each' },
  workLeases: { hold: 'home', advance: 'home', release: 'home' },
  leases: { begin: 'each', lastHeartbeat: 'each', heartbeat: 'each', feed: 'each', claim: 'each', end: 'each', sweep: 'each', tidy: 'each' },
  gatewayNodes: routedNodes,
  grants: { mint: 'field' },
  prices: { texts: 'home', loadOverlay: 'home', list: 'home', keepList: 'home', importList: 'home', leaveList: 'home' },
  people: { withEmail: 'home', get: 'home', rehash: 'home', setPassword: 'home', chooseOrganization: 'home' },
  passwordLinks: routedPasswordLinks,
  waysIn: { list: 'home', end: 'home' },
  providedPeople: routedProvidedPeople,
  accounts: { create: 'home', find: 'home', update: 'home', delete: 'home', count: 'home' },
  members: routedMembers,
  invitations: routedInvitations,
  managementTokens: { create: 'home', list: 'home', find: 'home', findByHash: 'home', revoke: 'home' },
  machineSignIns: { begin: 'home', find: 'home', findByUserCode: 'home', allow: 'home', refuse: 'home', take: 'home' },
  baselines: routedBaselines,
  tapEvents: routedTapEvents,
  erasure: routedErasure,
  masterKey: routedMasterKey,
  platformAddress: { remember: 'home', last: 'home' },
  serverSettings: { remember: 'home', last: 'home' },
  audit: routedAudit,
};
