/**
 * What `doctor` finds in the store. It asks one thing after another, and what fails in the middle (a cell that goes away, a statement that runs out
 * of time) is a finding itself: everything else is still asked and reported.
 */
import { listConnections, type ShownConnections } from '@metergate/platform/use-cases/providers.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import type { GatewayNodeSeen } from '@metergate/store/spend/gateway-nodes.ts';
import type { Store } from '@metergate/store/store.ts';
import { CommandFault, type CommandTools } from '../command-line/command.ts';
import { countOf } from '../command-line/counts.ts';
import { openExistingStore } from '../command-line/open-store.ts';
import { settingsOfServer } from '../command-line/settings-of-server.ts';
import type { Config } from '../config/config.ts';
import { MasterKeyFault } from '../config/master-key.ts';
import { examineCells, type CellsLook } from './cells.ts';
import { examineMasterKeyFile } from './data-directory.ts';
import { examineFigures, type FiguresLook } from './figures.ts';
import { finding, type Finding } from './finding.ts';
import { clockFinding, namesFindings, nodesFindings } from './nodes.ts';
import { examinePrices } from './prices.ts';
import { examineReceipts, type ReceiptsLook } from './receipts.ts';
import { examineRetention } from './retention.ts';

export interface StoreLook {
  /** Null if the store could not be opened or read. */
  readonly store: { readonly engine: Store['engine']; readonly revision: number } | null;
  /** Gateway nodes on a shared store; empty on the embedded one, which has its own. */
  readonly nodes: readonly GatewayNodeSeen[];
  /** The state of each organization's connections; empty if they could not be read. */
  readonly organizations: readonly ShownConnections[];
  /** Receipts were exported here that the store no longer has: it was restored to an earlier moment. */
  readonly storeBehind: ReceiptsLook['storeBehind'];
  /** All figures agreed with the records that the store held at this instant; null: not all were ever compared. */
  readonly provedUpTo: FiguresLook['provedUpTo'];
  readonly figureDifferences: FiguresLook['differences'];
  readonly findings: readonly Finding[];
}

/** What there is to tell of a store that was not opened. */
export const noStore: Omit<StoreLook, 'findings'> = {
  store: null, nodes: [], organizations: [], storeBehind: null, provedUpTo: null, figureDifferences: [],
};

/** Opens the store that the settings name, asks everything and closes it. A store that cannot be opened is a finding. */
export async function examineStore(config: Config, tools: CommandTools): Promise<StoreLook> {
  let store: Store;
  try {
    store = await openExistingStore(config);
  } catch (error) {
    return { ...noStore, findings: [unopened(error)] };
  }
  return examineAndClose(store, config, tools);
}

/** The same of a store that was opened for it. That it cannot be closed is a finding: everything else was asked by then. */
export async function examineAndClose(store: Store, config: Config, tools: CommandTools): Promise<StoreLook> {
  const closed = (): Promise<Finding[]> => store.close().then(() => [], (error: Error) =>
    [finding('store', 'fail', `Everything was asked, and then the store could not be closed: ${error.message}`)]);
  try {
    const look = await examineOpen(store, config, tools);
    return { ...look, findings: [...look.findings, ...await closed()] };
  } catch (error) {
    await closed();
    throw error;
  }
}

/** The same of a store that is open. */
export async function examineOpen(store: Store, config: Config, tools: CommandTools): Promise<StoreLook> {
  const parts = new Parts();
  const revision = await parts.ask('store', null, () => store.settings.revision());
  const nobody: CellsLook = { findings: [], allAnswer: false };
  const cells = await parts.ask('cells', nobody, () => examineCells(store));
  // What is asked of every organization fails with one cell, which is named already.
  const whole = async <T>(name: string, otherwise: T, ask: () => Promise<T>): Promise<T> =>
    cells.allAnswer ? parts.ask(name, otherwise, ask) : otherwise;
  const organizations = await whole('connections', null, () =>
    listConnections({ store, randomBytes: tools.randomBytes, nowMs: tools.nowMs() }));
  const shared = await parts.ask('nodes', { nodes: [], findings: [] }, () => examineShared(store, tools));
  const server = await parts.ask('settings', [], () => examineServerSettings(store, config, tools));
  const receipts = await whole('receipts', { findings: [], storeBehind: null }, () => examineReceipts(store, config.dataDirectory));
  const figures = await whole('figures', { provedUpTo: null, differences: [], findings: [] }, () => examineFigures(store, tools.nowMs()));
  const retention = await whole('retention', [], () => examineRetention(store, tools.nowMs()));
  const prices = await parts.ask('prices', [], () => examinePrices(store, tools.nowMs()));
  return {
    store: revision === null ? null : { engine: store.engine, revision }, nodes: shared.nodes, organizations: organizations ?? [],
    storeBehind: receipts.storeBehind, provedUpTo: figures.provedUpTo, figureDifferences: figures.differences,
    findings: [
      examineMasterKeyFile(config), ...(organizations === null ? [] : [storeFinding(store.engine, organizations.length)]), ...cells.findings,
      ...shared.findings, ...server, ...receipts.findings, ...figures.findings, ...retention, ...prices, ...parts.failed,
    ],
  };
}

/** Asks the store part by part, and keeps what each failure has to say. */
class Parts {
  readonly failed: Finding[] = [];

  /** What was asked, or `otherwise` if the store broke meanwhile. */
  async ask<T>(name: string, otherwise: T, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
      this.failed.push(finding(name, 'fail', `This could not be checked, because the store broke meanwhile: ${error.message}`));
      return otherwise;
    }
  }
}

async function examineShared(store: Store, { nowMs: clock }: CommandTools): Promise<Pick<StoreLook, 'nodes' | 'findings'>> {
  if (store.engine === 'sqlite') return { nodes: [], findings: [] };
  const askedMs = clock();
  const { nodes, nowMs } = await store.gatewayNodes.list();
  const clocks = clockFinding(nowMs, { askedMs, answeredMs: clock() });
  return { nodes, findings: [...nodesFindings(nodes, nowMs), ...namesFindings(nodes, await store.nodeReports.list()), clocks] };
}

/** Empty if this shell's settings equal the server's. */
async function examineServerSettings(store: Store, config: Config, { env }: CommandTools): Promise<Finding[]> {
  try {
    await settingsOfServer(store, config, env);
    return [];
  } catch (error) {
    if (!(error instanceof CommandFault)) throw error;
    return [finding('settings', 'warn', error.message)];
  }
}

const engineName: { readonly [E in Store['engine']]: string } = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

function storeFinding(engine: Store['engine'], organizations: number): Finding {
  return finding('store', 'ok', `${engineName[engine]}, schema up to date, ${countOf(organizations, 'organization')}.`);
}

function unopened(error: unknown): Finding {
  if (error instanceof MasterKeyFault) return finding('master key', 'fail', error.message);
  if (!(error instanceof StoreFault)) throw error;
  if (error.code === 'wrong_master_key') return finding('master key', 'fail', error.message);
  return finding('store', error.code === 'store_absent' || error.code === 'schema_older' ? 'warn' : 'fail', error.message);
}
