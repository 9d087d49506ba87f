/** One process of another version on a separate data directory, killed under load, and one of this version on what it left. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { ownLauncher, startCluster } from '@metergate/testkit/cluster.ts';
import { beginLoad, countsText } from './behind-haproxy.ts';
import { commandsOf, heldOf, openUpgraded, organizationBy } from './upgraded-store.ts';

const callers = 8;

/** True if nothing was lost, doubled or refused, and every sum is that of its records. `say` takes what was found, by lines. */
export async function tryEmbedded(oldLauncher: string, say: (line: string) => void): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-upgrade-'));
  const cluster = await startCluster('');
  const { upstream, masterKey } = cluster;
  const settings = { SVC_DATABASE_URL: undefined, SVC_DATA_DIR: folder };
  try {
    const old = await cluster.process(['start'], settings, oldLauncher);
    const commands = commandsOf(oldLauncher, { SVC_DATA_DIR: folder, SVC_MASTER_KEY: Buffer.from(masterKey).toString('base64') });
    const organization = await organizationBy(commands, upstream.url);
    const before = beginLoad(old.urls['gateway']!, organization.key, callers);
    await pass(3_000);
    old.signal('SIGKILL');
    await old.ended;
    const seenBefore = await before.end();
    const beginMs = Date.now();
    const own = await cluster.process(['start'], settings, ownLauncher);
    const readyMs = Date.now() - beginMs;
    const after = beginLoad(own.urls['gateway']!, organization.key, callers);
    await pass(3_000);
    const seenAfter = await after.end();
    own.signal('SIGTERM');
    const code = await own.ended;
    const served = [...seenBefore, ...seenAfter].filter((seen) => seen.code === '200').length;
    const store = await openUpgraded(`sqlite:${join(folder, 'metergate.db')}`, masterKey);
    const { records, interrupted, differ } = await heldOf(store, organization, served).finally(() => store.close());
    say(`  embedded: ready ${readyMs} ms after it was started on what the killed one left; calls of this version: ${countsText(seenAfter)}`);
    const forwarded = upstream.requests.length;
    say(`  answered ${served}, forwarded ${forwarded}, records ${records}, of these interrupted ${interrupted}, sums that differ ${differ.length}`);
    for (const each of differ) say(`  ${each}`);
    // Of each caller the kill cut at most one call. Nothing was forwarded that has no record.
    const kept = records >= served && records - served <= callers && forwarded <= records;
    return kept && differ.length === 0 && code === 0 && seenAfter.every((seen) => seen.code === '200');
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
