/**
 * What `npm test` leaves to `npm test -- --all`, which CI runs: tests that take long because they kill, starve, upgrade, or lead every version of
 * every client through the product. Each names what the first part still tests of its subject, so that most mistakes show within minutes. A test
 * that is named (`npm test -- PART`) always runs.
 */
interface Later {
  /** Test files whose path begins so. */
  readonly paths: readonly string[];
  /** What they test. */
  readonly about: string;
  /** What the first part has of it. */
  readonly first: string;
}

const later: readonly Later[] = [
  {
    paths: ['test/nodes/cells', 'test/nodes/citus', 'test/nodes/connections', 'test/nodes/distant', 'test/nodes/nodes-in', 'test/nodes/overshoot',
      'test/nodes/parts', 'test/nodes/race', 'test/nodes/settled'],
    about: 'several nodes on one store', first: 'the simulation of nodes, and leases in the contract of the store',
  },
  {
    paths: ['test/reliability/', 'packages/store/src/journal/kill', 'test/websocket/kill', 'test/websocket/realtime-kill',
      'test/operation/export-killed',
      'test/operation/export-disk-full', 'test/operation/silent-threads'],
    about: 'processes that are killed, starved and cut off', first: 'damaged and left journals, put together by hand',
  },
  {
    paths: ['packages/store/src/schema/upgrade.test', 'packages/store/src/retention/', 'test/operation/restore-drill',
      'test/operation/played-quarter',
      'test/operation/whole-day', 'test/operation/prices-under-load'],
    about: 'upgrades, retention, restores and long times', first: 'the contract of the store on both engines',
  },
  {
    paths: ['test/tap/python', 'test/tap/connections', 'packages/tap/test/sdk/', 'packages/tap/src/built-package',
      'packages/tap/src/reporting/process-end',
      'test/readers/'],
    about: 'the tap under every SDK and in Python, and other readers of our files', first: 'the tap for Node, and the conformance kit',
  },
  {
    paths: ['test/conformance/provider-packages', 'test/conformance/named-upstream-clients', 'test/conformance/made-credentials',
      'test/conformance/large-bodies', 'test/conformance/wrong-base-url', 'test/websocket/agents', 'test/websocket/codex', 'test/websocket/python',
      'test/websocket/realtime-sdk', 'test/login/'],
    about: 'other clients and agents, from their packages', first: 'the official SDKs, and every recorded exchange',
  },
  {
    paths: ['test/dashboard/control', 'test/dashboard/dashboard', 'test/dashboard/explore', 'test/dashboard/figures', 'test/dashboard/machine',
      'test/dashboard/month', 'test/dashboard/oidc', 'test/dashboard/phone', 'test/dashboard/refused', 'test/dashboard/reports',
      'test/dashboard/states',
      'test/dashboard/together'],
    about: 'every page and state in the browser', first: 'the way from the first key to a refusal, and what each role sees',
  },
  {
    paths: ['test/hostile/drawn', 'test/hostile/neighbour', 'test/hostile/slow-names', 'test/hostile/waiting', 'test/hostile/leaving',
      'test/hostile/time-per-byte/operations', 'test/hostile/time-per-byte/sockets'],
    about: 'drawn connections, the hostile neighbour and time per byte of every operation', first: 'hostile callers, providers and texts',
  },
  {
    paths: ['test/operation/built-product', 'test/operation/running-product', 'test/operation/npm-package', 'test/operation/traces',
      'test/operation/price-feed',
      'packages/cli/test/', 'test/test-command'],
    about: 'the product and the test command as they are handed out', first: 'a first start, logs and metrics',
  },
];

/** Whether the first part leaves that test file out; by its path from the root. */
export function waitsForWholeRun(file: string): boolean {
  return later.some(({ paths }) => paths.some((path) => file.startsWith(path)));
}

/** Each path above that no test file has: it would leave something in the first part without a word. */
export function pathsWithoutTests(files: readonly string[]): string[] {
  return later.flatMap(({ paths }) => paths).filter((path) => !files.some((file) => file.startsWith(path)));
}
