/**
 * The tap's endpoint on a free port, over a fresh store, with a clock that tests set, for tests from outside.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sampleNowMs } from '@metergate/core/tap/test-support/sample-event.ts';
import type { Plan } from '@metergate/core/rate/plan.ts';
import { openStore, type Store } from '@metergate/store/store.ts';
import { createAskers } from '../http/askers.ts';
import { createBaselineWithKey, type MintedBaseline } from '../use-cases/baselines.ts';
import type { UseCaseContext } from '../use-cases/context.ts';
import { createBodyBudget, type BodyBudget } from '../http/body-budget.ts';
import { withTap, type TapParts } from '../http/tap.ts';
import { isRefusal } from '../use-cases/refusal.ts';

export interface TapFixture {
  readonly url: string;
  readonly store: Store;
  /** Every fault that was reported instead of answered. */
  readonly faults: unknown[];
  readonly now: { ms: number };
  readonly context: () => UseCaseContext;
  /** An organization with a Baseline and its key. */
  baseline(plan?: Plan): Promise<MintedBaseline & { readonly organization: Parameters<Store['baselines']['list']>[0] }>;
  /** Events in the store, all Baselines together. */
  eventRows(): number;
  /** The content of all the store's files. */
  bytesOnDisk(): string;
  end(): Promise<void>;
}

/** `behind`: replaces the endpoint's store. `url`: where to create a store, instead of an embedded one. */
export async function tapFixture(
  behind: (store: Store) => TapParts['store'] = (store) => store, url?: string, bodies: BodyBudget = createBodyBudget(),
): Promise<TapFixture> {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-tap-'));
  const file = join(directory, 'store.db');
  const now = { ms: sampleNowMs };
  const store = await openStore({
    url: url ?? `sqlite:${file}`, masterKey: new Uint8Array(32).fill(9), clock: () => now.ms, randomBytes: (n) => randomBytes(n), create: true,
  });
  const faults: unknown[] = [];
  const server = createServer({ connectionsCheckingInterval: 1_000 }, withTap(
    { store: behind(store), askers: createAskers('http://platform.test'), bodies, clock: () => now.ms, report: (fault) => faults.push(fault) },
    (_request, response) => response.writeHead(404).end('elsewhere'),
  ));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const context = (): UseCaseContext => ({ store, randomBytes: (n) => randomBytes(n), nowMs: now.ms });
  let count = 0;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, store, faults, now, context,
    async baseline(plan = 'free') {
      const organization = await store.organizations.create({ name: `tapped ${++count}`, plan });
      if (isRefusal(organization) || !('id' in organization)) throw new Error('the organization was refused');
      const made = await createBaselineWithKey(context(), organization.id);
      if (isRefusal(made)) throw new Error('the Baseline was refused');
      return { ...made, organization: organization.id };
    },
    eventRows() {
      const database = new DatabaseSync(file, { timeout: 5_000 });
      const { n } = database.prepare('select count(*) as n from tap_event').get() as { n: number };
      database.close();
      return n;
    },
    bytesOnDisk: () => readdirSync(directory).map((name) => readFileSync(join(directory, name), 'latin1')).join('\n'),
    async end() {
      server.close();
      server.closeAllConnections();
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
