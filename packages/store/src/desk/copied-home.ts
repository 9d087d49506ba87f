/**
 * A data directory that was copied while its node ran has that node's journal in it. If both processes shipped it, rows of one would be taken for
 * the other's, and records would be lost or counted twice. So if another process reported recently under the same name, this one waits until a live
 * one would have reported again. Only if the other stays silent is it dead, and its journal may be recovered here (rules: Processes).
 */
import { StoreFault } from '../engine/fault.ts';
import type { Leases } from '../spend/leases.ts';

/** A node reports once a second; a process that is silent for this long is considered dead. */
const silentMs = 2_000;

/** Resolves when no other process reports on the directory. Call this before anything of its journal is read. @throws StoreFault */
export async function assertRunsNowhereElse(
  leases: Pick<Leases, 'lastHeartbeat'>, home: string, pause: (ms: number) => Promise<unknown>,
): Promise<void> {
  const first = await leases.lastHeartbeat(home);
  if (first === null || first.nowMs - first.heardAtMs >= silentMs) return;
  await pause(Math.min(silentMs, silentMs - (first.nowMs - first.heardAtMs)));
  const second = await leases.lastHeartbeat(home);
  if (second === null || second.heardAtMs === first.heardAtMs) return;
  throw new StoreFault('data_directory_elsewhere',
    'Another gateway node runs on this data directory or on a copy of it, and both would ship the same journal. '
    + 'Give this node a data directory of its own: a new, empty one.');
}
