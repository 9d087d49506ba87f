/**
 * For tests: one whole gateway node in this process, with a scripted provider, two organizations with a key each, a journal that takes
 * everything, and a clock that the test sets.
 */
import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { createPriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Journal } from '@metergate/store/journal/journal.ts';
import { assertAtRest } from '@metergate/testkit/at-rest.ts';
import { RawConnection } from '@metergate/testkit/raw-client.ts';
import { startScriptedProvider } from '@metergate/testkit/scripted-provider.ts';
import { startGateway, type GatewayOptions } from '../gateway.ts';
import type { HeldKey } from '../guards/held-key.ts';
import { Guards } from '../guards/guards.ts';
import { RunRegistry } from '../guards/run-registry.ts';
import { Runs } from '../guards/runs.ts';
import { TestStore, testHeld, testKey, testOrganization } from '../guards/test-support/run-fixture.ts';
import { willingRunJournal } from '../guards/test-support/standing-fixture.ts';
import { createDestination } from '../network/create-destination.ts';
import { createCopyReader } from '../usage/create-copy-reader.ts';

export const ownKey = `svc_live_${'0'.repeat(32)}`;
export const neighbourKey = `svc_live_${'1'.repeat(32)}`;

const priceBook = createPriceBook({ list: priceList, overlay: null });

export async function startNode(t: TestContext, { heldBodiesBytesMax = 1 << 20, ...bounds }: Partial<GatewayOptions> = {}) {
  const provider = await startScriptedProvider();
  provider.respond({ headers: [['content-type', 'application/json']], body: '{}' });
  const journal: Journal = {
    open: (_opening, done) => void setImmediate(() => done(null)),
    close: (_record, done) => void setImmediate(done),
    ...willingRunJournal,
    end: async () => {},
    counters: { opened: 0, closed: 0, commits: 0, commitFailures: 0, waiting: 0 },
  };
  let lookedAt = 0;
  const time = { nowMs: 0, looks: () => lookedAt };
  const clock = {
    wallMs: Date.now,
    monotonicMs: () => {
      lookedAt += 1;
      return time.nowMs;
    },
  };
  const held = testHeld(testOrganization({ anthropic: { state: 'connected', credential: 'sk' } }));
  const another = testHeld(testOrganization({ id: 'org_b' as OrganizationId }), testKey({ organization: 'org_b' as OrganizationId }));
  const heldByHash = (hash: string): HeldKey => (hash === createHash('sha256').update(neighbourKey).digest('hex') ? another : held);
  const timeouts = { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 };
  // It is away for runs: what is never answered would be held.
  const store = Object.assign(new TestStore(), { askRun: () => Promise.reject(new Error('The store is away.')) });
  const destination = createDestination({ origin: provider.url, timeouts, guard: null });
  const gateway = await startGateway({
    id: 'node_test' as GatewayOptions['id'], host: '127.0.0.1', port: 0, journal, heldBodiesBytesMax, clock, createCopyReader,
    guards: new Guards(clock, new Runs({ registry: new RunRegistry(10), journal, store, clock })), verifyGrant: () => null,
    settings: { held: heldByHash, ask: async (hash) => heldByHash(hash), asking: 0, priceBook, ageMs: () => 0 },
    destinations: { provider: () => destination, region: () => null, upstream: () => destination }, ...bounds,
  });
  t.after(async () => {
    await gateway.drain(0);
    await assertAtRest(() => gateway.held());
    await destination.close();
    await provider.close();
  });
  return { provider, gateway, time, connect: () => RawConnection.open(`http://127.0.0.1:${gateway.port}`) };
}
