/** A shared store's gateway nodes, and its clock beside this machine's. */
import type { KeptNodeReport } from '@metergate/store/operation/node-reports.ts';
import type { GatewayNodeSeen } from '@metergate/store/spend/gateway-nodes.ts';
import { finding, type Finding } from './finding.ts';

export function nodesFindings(nodes: readonly GatewayNodeSeen[], nowMs: number): Finding[] {
  const live = nodes.filter(({ state }) => state === 'live');
  const outdated = live.filter((node) => node.outdated);
  const silent = nodes.filter(({ state }) => state === 'quarantined' || state === 'free');
  return [
    live.length === 0
      ? finding('nodes', 'warn', 'No gateway node reports. Start one on each machine with: metergate gateway')
      : finding('nodes', 'ok', `${live.length === 1 ? '1 gateway node reports' : `${live.length} gateway nodes report`}: ${named(live)}.`),
    ...(outdated.length === 0 ? [] : [finding('nodes', 'warn', `The store was upgraded and takes no records from ${named(outdated)}: reports lack `
      + 'their calls, which wait in their journals. Restart them with this version on their data directories.')]),
    ...silent.map(({ id, heardAtMs, leases, state }) => finding('nodes', 'warn', `${id} was last heard ${inWords(nowMs - heardAtMs)} ago. ${
      state === 'free' ? 'What it held of caps and runs was freed.' : `It holds ${leases} leases, which are freed two minutes from then.`
    } Start it again on its data directory: calls that it had not shipped lie in its journal there.`)),
  ];
}

/** Nodes that send statements without names: nothing is wrong, and it costs the server more. */
export function namesFindings(nodes: readonly GatewayNodeSeen[], reports: readonly KeptNodeReport[]): Finding[] {
  const without = new Set(reports.filter(({ report }) => report.namesLost === true).map(({ report }) => report.node));
  const live = nodes.filter(({ id, state }) => state === 'live' && without.has(id));
  return live.length === 0 ? [] : [finding('statements', 'ok', `${named(live)} send${live.length === 1 ? 's' : ''} statements without names, so `
    + 'PostgreSQL plans each every time: a record costs it up to half as much again. With pgbouncer set max_prepared_statements (from version 1.21), '
    + 'and restart the node.')];
}

const namedMax = 10;

function named(nodes: readonly GatewayNodeSeen[]): string {
  const more = nodes.length - namedMax;
  return nodes.slice(0, namedMax).map(({ id }) => id).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function inWords(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

/** Caps and runs use the store's time, so a clock that is off spoils logs and comparisons, not limits. */
const offMs = 2_000;

/** `askedMs`, `answeredMs`: this machine's clock around the question. */
export function clockFinding(storeMs: number, { askedMs, answeredMs }: { readonly askedMs: number; readonly answeredMs: number }): Finding {
  const off = storeMs < askedMs ? askedMs - storeMs : Math.max(0, storeMs - answeredMs);
  if (off < offMs) return finding('clock', 'ok', "This machine's clock agrees with the store's.");
  return finding('clock', 'warn', `This machine's clock is ${Math.round(off / 1_000)} s ${storeMs < askedMs ? 'ahead of' : 'behind'} the store's. `
    + "Nodes use the store's clock; synchronize both clocks (NTP).");
}
