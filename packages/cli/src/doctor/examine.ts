/**
 * Runs every check, from the runtime to each organization's connections. It changes and creates nothing. A part that cannot be checked is a
 * finding, never an error, and the checks that depend on it are left out.
 */
import { providers, wireNames, wires, type Provider, type Wire } from '@metergate/core/wire/wire.ts';
import type { ShownConnections } from '@metergate/platform/use-cases/providers.ts';
import { oldPagesSentence, pagesAreOld } from '@metergate/platform/http/pages/old-pages.ts';
import type { CommandTools } from '../command-line/command.ts';
import { readConfig } from '../config/read-config.ts';
import { runtimeBelowFloor } from '../config/runtime-floor.ts';
import { descriptorLimit } from '@metergate/gateway/fairness/descriptors.ts';
import { unusedInternals } from '@metergate/gateway/node/unused-internals.ts';
import { parseDatabaseUrl } from '@metergate/store/engine/database-url.ts';
import { examineCertificates } from './certificates.ts';
import { examineDataDirectory } from './data-directory.ts';
import { descriptorsFinding } from './descriptors.ts';
import { finding, type Finding } from './finding.ts';
import { examineJournal } from './journal.ts';
import { examineReadiness } from './readiness.ts';
import { examinePriceFeed } from './price-feed.ts';
import { examinePorts } from './ports.ts';
import { internalsFindings, runtimeFinding } from './runtime.ts';
import { examineStore, noStore, type StoreLook } from './store.ts';

interface Report extends Omit<StoreLook, 'findings'> {
  /** Nothing failed; there may be warnings. */
  readonly ok: boolean;
  readonly runtime: { readonly version: string; readonly belowFloor: boolean };
  readonly checks: readonly Finding[];
}

export async function examine(tools: CommandTools): Promise<Report> {
  const version = process.versions.node;
  const runtime = { version, belowFloor: runtimeBelowFloor(version) };
  const checks = [runtimeFinding(runtime, process.execPath), ...internalsFindings(unusedInternals())];
  const read = readConfig(tools.env, tools.cwd);
  if ('refusal' in read) {
    checks.push(finding('settings', 'fail', read.refusal));
    return { ok: false, runtime, ...noStore, checks };
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
