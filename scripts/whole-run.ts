/**
 * What `npm test` leaves to `npm test -- --all`, which CI runs: tests that take long because they kill, starve, upgrade, or lead every version of
 * every client through the product. Each names what the first part still tests of its subject, so that most mistakes show within minutes. A test
 * that is named (`npm test -- PART`) always runs.
 */
interface Later {
  /** What they test. */
  readonly about: string;
  /** What the first part has of it. */
  readonly first: string;
  /** Test files whose path begins so. */
  readonly paths: readonly string[];
}

const within = (folder: string, ...names: readonly string[]): string[] => names.map((name) => `${folder}/${name}`);

const later: readonly Later[] = [
  {
    about: 'several nodes on one store', first: 'the simulation of nodes, and leases in the contract of the store',
    paths: within('test/nodes', 'cells', 'citus', 'closed-month', 'connections', 'distant', 'nodes-in', 'overshoot', 'parts', 'race', 'settled'),
  },
  {
    about: 'processes that are killed, starved and cut off', first: 'damaged and left journals, put together by hand',
    paths: [
      'test/reliability/', 'packages/store/src/journal/kill', ...within('test/websocket', 'kill', 'realtime-kill'),
      ...within('test/operation', 'export-killed', 'export-disk-full', 'silent-threads'),
    ],
  },
  {
    about: 'upgrades, retention, restores and long times', first: 'the contract of the store on both engines',
    paths: [
      'packages/store/src/schema/upgrade.test', 'packages/store/src/retention/',
      ...within('packages/platform/src/use-cases', 'export/usage-file', 'repricing/corrected-day'),
      ...within('test/operation', 'restore-drill', 'played-quarter', 'whole-day', 'prices-under-load'),
    ],
  },
  {
    about: 'reports and configurations in all their forms, and the proof of figures',
    first: 'spend in the contract of the store, commands and operations',
    paths: [
      ...within('packages/store/src', 'usage/usage.contract', 'receipts/proof/'),
      ...within('packages/platform/src', 'reports/reports.test', 'use-cases/configuration/'),
    ],
  },
  {
    about: 'the tap under every SDK and in Python, and other readers of our files', first: 'how the tap reads answers, and the conformance kit',
    paths: [
      'test/readers/', ...within('test/tap', 'python', 'connections', 'end-to-end'),
      ...within('packages/tap', 'test/sdk/', 'src/tap.test', 'src/built-package', 'src/reporting/process-end'),
    ],
  },
  {
    about: 'other clients and agents, and recorded exchanges through the product',
    first: 'the official SDKs, and the readers of usage on every recorded exchange',
    paths: [
      'test/login/', ...within('test/websocket', 'agents', 'codex', 'python', 'realtime-sdk'),
      ...within('test/conformance', 'provider-packages', 'named-upstream-clients', 'made-credentials', 'large-bodies', 'wrong-base-url',
        'recorded-exchanges'),
    ],
  },
  {
    about: 'every page and state in the browser', first: 'the way from the first key to a refusal',
    paths: within('test/dashboard', 'ahead', 'control', 'dashboard', 'explore', 'figures', 'machine', 'month', 'oidc', 'organizations', 'paper',
      'phone', 'refused', 'reports', 'roles', 'silent', 'states', 'together'),
  },
  {
    about: 'drawn connections and messages, damaged codings, the hostile neighbour, and time per byte', first: 'hostile callers and providers',
    paths: [
      ...within('test/hostile', 'drawn', 'neighbour', 'slow-names', 'waiting', 'leaving'),
      'test/hostile/time-per-byte/',
      ...within('packages/gateway/src', 'callers/callers.differential', 'network/clients.differential', 'usage/create-copy-reader',
        'usage/damaged-codings'),
    ],
  },
  {
    about: 'the product and the test command as they are handed out', first: 'a first start, logs and metrics',
    paths: [
      'packages/cli/test/', 'packages/cli/src/start/start.test', 'test/test-command',
      ...within('test/operation', 'built-product', 'running-product', 'npm-package', 'traces', 'price-feed'),
    ],
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
