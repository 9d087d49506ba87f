/**
 * Runs every check, from the runtime to each organization's connections. It changes and creates nothing. A part that cannot be checked is a
 * finding, never an error, and the checks that depend on it are left out.
 */
import { providers, wireNames, wires, type Provider, type Wire } from '@metergate/core/wire/wire.ts';
import { oldPagesSentence, pagesAreOld } from '@metergate/platform/http/pages/old-pages.ts';
import { listConnections, type ShownConnections } from '@metergate/platform/use-cases/providers.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import type { Store } from '@metergate/store/store.ts';
import type { CommandTools } from '../command-line/command.ts';
import type { Config } from '../config/config.ts';
import { MasterKeyFault } from '../config/master-key.ts';
import { readConfig } from '../config/read-config.ts';
import { openExistingStore } from '../command-line/open-store.ts';
import { runtimeBelowFloor } from '../config/runtime-floor.ts';
import { descriptorLimit } from '@metergate/gateway/fairness/descriptors.ts';
import { unusedInternals } from '@metergate/gateway/node/unused-internals.ts';
import type { GatewayNodeSeen } from '@metergate/store/spend/gateway-nodes.ts';
import { parseDatabaseUrl } from '@metergate/store/engine/database-url.ts';
import { CommandFault } from '../command-line/command.ts';
import { countOf } from '../command-line/counts.ts';
import { settingsOfServer } from '../command-line/settings-of-server.ts';
import { examineCells } from './cells.ts';
import { examineCertificates } from './certificates.ts';
import { examineDataDirectory, examineMasterKeyFile } from './data-directory.ts';
import { descriptorsFinding } from './descriptors.ts';
import { examineFigures, type FiguresLook } from './figures.ts';
import { finding, type Finding } from './finding.ts';
import { examineJournal } from './journal.ts';
import { clockFinding, nodesFindings } from './nodes.ts';
import { examineReadiness } from './readiness.ts';
import { examineReceipts, type ReceiptsLook } from './receipts.ts';
import { examineRetention } from './retention.ts';
import { examinePriceFeed } from './price-feed.ts';
import { examinePrices } from './prices.ts';
import { examinePorts } from './ports.ts';
import { internalsFindings, runtimeFinding } from './runtime.ts';

export interface Report {
  /** Nothing failed; there may be warnings. */
  readonly ok: boolean;
  readonly runtime: { readonly version: string; readonly belowFloor: boolean };
  /** Null if the store could not be opened. */
  readonly store: { readonly engine: Store['engine']; readonly revision: number } | null;
  /** Gateway nodes on a shared store; empty on the embedded one, which has its own. */
  readonly nodes: readonly GatewayNodeSeen[];
  /** The state of each organization's connections; empty if the store could not be opened. */
  readonly organizations: readonly ShownConnections[];
  /** Receipts were exported here that the store no longer has: it was restored to an earlier moment. */
  readonly storeBehind: ReceiptsLook['storeBehind'];
  /** All figures agreed with the records that the store held at this instant; null: not all were ever compared. */
  readonly provedUpTo: FiguresLook['provedUpTo'];
  readonly figureDifferences: FiguresLook['differences'];
  readonly checks: readonly Finding[];
}

export async function examine(tools: CommandTools): Promise<Report> {
  const version = process.versions.node;
  const runtime = { version, belowFloor: runtimeBelowFloor(version) };
  const checks = [runtimeFinding(runtime, process.execPath), ...internalsFindings(unusedInternals())];
  const read = readConfig(tools.env, tools.cwd);
  if ('refusal' in read) {
    checks.push(finding('settings', 'fail', read.refusal));
    return { ok: false, runtime, store: null, nodes: [], organizations: [], storeBehind: null, provedUpTo: null, figureDifferences: [], checks };
  }
  const { config } = read;
  const shared = parseDatabaseUrl(config.databaseUrl).kind === 'postgres';
  checks.push(finding('settings', 'ok', 'All variables are known and well formed.'), examineDataDirectory(config.dataDirectory, { shared }));
  const { findings, ...found } = await examineStore(config, tools);
  const journal = examineJournal(config.dataDirectory);
  checks.push(
    ...findings, ...await examinePorts(config), ...await examineReadiness(config.ops),
    ...await examinePriceFeed(config), ...(journal === null ? [] : [journal]),
    ...(pagesAreOld() ? [finding('pages', 'warn', oldPagesSentence)] : []),
    descriptorsFinding(descriptorLimit()), ...await examineCertificates(config, tools.nowMs()), ...found.organizations.map(connectionFinding),
  );
  return { ok: checks.every(({ state }) => state !== 'fail'), runtime, ...found, checks };
}

const engineName: { readonly [E in Store['engine']]: string } = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

interface StoreLook {
  readonly store: Report['store'];
  readonly nodes: Report['nodes'];
  readonly organizations: readonly ShownConnections[];
  readonly storeBehind: ReceiptsLook['storeBehind'];
  readonly provedUpTo: FiguresLook['provedUpTo'];
  readonly figureDifferences: FiguresLook['differences'];
  readonly findings: readonly Finding[];
}

async function examineStore(config: Config, tools: CommandTools): Promise<StoreLook> {
  try {
    const store = await openExistingStore(config);
    try {
      const { findings: cells, allAnswer: whole } = await examineCells(store);
      const organizations = whole ? await listConnections({ store, randomBytes: tools.randomBytes, nowMs: tools.nowMs() }) : [];
      const revision = await store.settings.revision();
      const key = examineMasterKeyFile(config);
      const receipts = whole ? await examineReceipts(store, config.dataDirectory) : { findings: [], storeBehind: null };
      const shared = await examineShared(store, tools);
      const figures = whole ? await examineFigures(store, tools.nowMs()) : { provedUpTo: null, differences: [], findings: [] };
      return {
        store: { engine: store.engine, revision }, nodes: shared.nodes, organizations, storeBehind: receipts.storeBehind,
        provedUpTo: figures.provedUpTo, figureDifferences: figures.differences,
        findings: [
          key, ...(whole ? [storeFinding(store.engine, organizations.length)] : []), ...cells, ...shared.findings,
          ...await examineServerSettings(store, config, tools),
          ...receipts.findings, ...figures.findings,
          ...(whole ? await examineRetention(store, tools.nowMs()) : []), ...await examinePrices(store, tools.nowMs()),
        ],
      };
    } finally {
      await store.close();
    }
  } catch (error) {
    return {
      store: null, nodes: [], organizations: [], storeBehind: null, provedUpTo: null, figureDifferences: [], findings: [storeFaultFinding(error)],
    };
  }
}

async function examineShared(store: Store, { nowMs: clock }: CommandTools): Promise<Pick<StoreLook, 'nodes' | 'findings'>> {
  if (store.engine === 'sqlite') return { nodes: [], findings: [] };
  const askedMs = clock();
  const { nodes, nowMs } = await store.gatewayNodes.list();
  return { nodes, findings: [...nodesFindings(nodes, nowMs), clockFinding(nowMs, { askedMs, answeredMs: clock() })] };
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

function storeFinding(engine: Store['engine'], organizations: number): Finding {
  return finding('store', 'ok', `${engineName[engine]}, schema up to date, ${countOf(organizations, 'organization')}.`);
}

function storeFaultFinding(error: unknown): Finding {
  if (error instanceof MasterKeyFault) return finding('master key', 'fail', error.message);
  if (!(error instanceof StoreFault)) throw error;
  if (error.code === 'wrong_master_key') return finding('master key', 'fail', error.message);
  return finding('store', error.code === 'store_absent' || error.code === 'schema_older' ? 'warn' : 'fail', error.message);
}

function connectionFinding(shown: ShownConnections): Finding {
  // Nobody misses an upstream that was never declared.
  const named = wireNames.filter((wire) => wire !== 'upstream' || shown.upstream !== 'missing');
  const states = named.map((wire) => shown[wire]);
  const message = `${shown.name}: ${named.map((wire) => `${wires[wire].displayName} ${inWords(shown[wire])}`).join(', ')}.`;
  if (states.includes('unreadable')) return finding('connections', 'fail', `${message} What is unreadable must be given again.`);
  if (states.includes('connected') || states.every((state) => state === 'placeholder')) return finding('connections', 'ok', message);
  return finding('connections', 'warn', `${message} Connect a key with: ${providers.map(connectCommand).join(' or: ')}`);
}

function inWords(state: ShownConnections[Wire]): string {
  return state === 'placeholder' ? 'sandbox placeholder' : state;
}

function connectCommand(provider: Provider): string {
  return `metergate provider connect ${provider} --org ORG`;
}
