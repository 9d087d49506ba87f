/**
 * The folders whose test files `scripts/test.ts` runs in one process: most of the cost of such a file is loading the code that all of them load.
 * Files that touch process-wide state (environment, streams, exit, memory) are left out. `test/architecture.test.ts` checks what else they must
 * not contain.
 */
export interface SharedFolder {
  readonly folder: string;
  /** Files that have a process to themselves. */
  readonly alone: readonly string[];
  /** The others are run once more, in this environment, but for those that need what it takes away. */
  readonly again?: { readonly env: Readonly<Record<string, string>>; readonly folders: readonly string[]; readonly except: readonly string[] };
}

export const sharedFolders: readonly SharedFolder[] = [
  { folder: 'packages/platform/src/', alone: [] },
  { folder: 'packages/core/src/', alone: [] },
  {
    folder: 'packages/gateway/src/',
    // They set the environment, look at the memory, wait long for the clock, or take long themselves: these run beside the others.
    alone: [
      'call/held-memory.test.ts', 'network/destination.contract.test.ts', 'network/tls.contract.test.ts', 'call/slow-bodies.test.ts',
      'call/admit.test.ts', 'usage/create-copy-reader.test.ts', 'callers/callers.differential.test.ts', 'network/clients.differential.test.ts',
    ],
    // Read by Node's server and forwarded by undici, as on a Node whose parser is not known; no WebSocket is accepted there. The files that are
    // left out test what reads by that parser.
    again: {
      env: { METERGATE_PUBLIC_NODE: '1' },
      folders: ['call/', 'callers/', 'network/'],
      except: [
        'callers/arriving-chunks.test.ts', 'callers/caller-connection.test.ts', 'callers/repeated-head.test.ts',
        'network/answer-turns.test.ts', 'network/create-destination.test.ts', 'network/socket-destination.test.ts', 'network/mixed-load.test.ts',
        'network/reading-turns.test.ts',
      ],
    },
  },
  {
    folder: 'packages/cli/src/',
    alone: ['start/start.test.ts', 'program.test.ts'],
  },
  {
    folder: 'packages/store/src/',
    // All but the first two take long: they run beside the others.
    alone: [
      'journal/writer.test.ts', 'threads/idle-memory.test.ts', 'journal/kill.test.ts', 'retention/retention.contract.test.ts',
      'schema/upgrade.test.ts', 'spend/spend.contract.test.ts', 'usage/usage.contract.test.ts',
    ],
  },
  { folder: 'packages/dashboard/test/', alone: [] },
  { folder: 'packages/sandbox/src/', alone: [] },
  { folder: 'packages/testkit/src/', alone: [] },
  // Those alone start processes of their own, or look at what a process keeps.
  {
    folder: 'packages/tap/src/',
    alone: ['built-package.test.ts', 'tap.test.ts', 'reporting/hostile-endpoint.test.ts', 'reporting/process-end.test.ts'],
  },
  { folder: 'test/limits/', alone: [] },
  // These take long themselves.
  { folder: 'test/conformance/', alone: ['recorded-exchanges.test.ts', 'large-bodies.test.ts', 'provider-packages.test.ts'] },
  {
    folder: 'test/operation/',
    alone: [
      'built-product.test.ts', 'first-owner.test.ts', 'running-product.test.ts', 'npm-package.test.ts', 'export-killed.test.ts',
      'whole-day.test.ts', 'export-disk-full.test.ts', 'played-quarter.test.ts', 'silent-threads.test.ts',
    ],
  },
  { folder: 'test/websocket/', alone: ['kill.test.ts', 'realtime-kill.test.ts'] },
  {
    folder: 'packages/tap/test/sdk/',
    // The SDKs' scripts share a process; these files look at the process itself, or at an SDK that another file has observed.
    alone: [
      'derived-clients.test.ts', 'host-eyes.test.ts', 'host-process.test.ts',
      'model-object.test.ts', 'own-addresses.test.ts', 'unknown-client.test.ts',
    ],
  },
];
