/** For tests: a whole node with a provider that speaks frames, and a journal that notes in which order rows and frames came. */
import type { TestContext } from 'node:test';
import { once } from 'node:events';
import type { CallOpening, CallRecord } from '@metergate/core/record/call-record.ts';
import { openCaller, type CallerOptions, type Peer } from '@metergate/testkit/websocket/peer.ts';
import { startPeerProvider, type PeerProvider, type PeerProviderOptions } from '@metergate/testkit/websocket/scripted-peer-provider.ts';
import { createPriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import type { HeldKey } from '../../guards/held-key.ts';
import { testHeld } from '../../guards/test-support/run-fixture.ts';
import type { Gateway, GatewayOptions } from '../../gateway.ts';
import { willingRunJournal } from '../../guards/test-support/standing-fixture.ts';
import { createDestination } from '../../network/create-destination.ts';
import { ownKey, startNode } from '../../test-support/whole-node.ts';

const priceBook = createPriceBook({ list: priceList, overlay: null });

/** What the journal was given, in its order. */
export interface NotedJournal {
  readonly opened: CallOpening[];
  readonly closed: CallRecord[];
  /** Rows wait here until they are let go, where set. */
  hold: ((what: 'opened' | 'closed', go: () => void) => void) | null;
  failing: boolean;
}

export interface SessionNode {
  readonly gateway: Gateway;
  readonly origin: string;
  readonly provider: PeerProvider;
  readonly journal: NotedJournal;
  readonly time: { nowMs: number };
  /** The key that every caller has; null once it was revoked. */
  readonly key: { held: HeldKey | null };
  /** Both ends of a connection through the node. */
  connect(options?: CallerOptions): Promise<{ readonly caller: Peer; readonly upstream: Peer }>;
  /** The record of one that has ended. */
  recordOf(is: (record: CallRecord) => boolean): Promise<CallRecord>;
}

export async function startSessionNode(
  t: TestContext, options: PeerProviderOptions & { readonly node?: Partial<GatewayOptions> } = {},
): Promise<SessionNode> {
  const provider = await startPeerProvider(options);
  const noted: NotedJournal = { opened: [], closed: [], hold: null, failing: false };
  const waiting: { is: (record: CallRecord) => boolean; resolve: (record: CallRecord) => void }[] = [];
  const later = (what: 'opened' | 'closed', done: () => void): void => {
    if (noted.hold === null) setImmediate(done);
    else noted.hold(what, done);
  };
  const destination = createDestination({ origin: provider.url, timeouts: { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 }, guard: null });
  const key: SessionNode['key'] = { held: testHeld() };
  const { gateway, time } = await startNode(t, {
    settings: { held: () => key.held ?? 'unknown', ask: async () => key.held, asking: 0, priceBook, ageMs: () => 0 },
    journal: {
      open: (opening, done) => later('opened', () => {
        if (noted.failing) return done(new Error('The journal cannot be written.'));
        noted.opened.push(opening);
        done(null);
      }),
      close: (record, done) => later('closed', () => {
        noted.closed.push(record);
        done();
        for (const one of waiting.splice(0)) if (one.is(record)) one.resolve(record); else waiting.push(one);
      }),
      ...willingRunJournal,
      end: async () => {},
      counters: { opened: 0, closed: 0, commits: 0, commitFailures: 0, waiting: 0 },
    },
    destinations: { provider: () => destination, region: () => null, upstream: () => destination },
    ...options.node,
  });
  t.after(async () => {
    await provider.close();
    await destination.close();
  });
  const origin = `http://127.0.0.1:${gateway.port}`;
  const callers: Peer[] = [];
  t.after(async () => {
    for (const { socket } of callers) if (!socket.destroyed) await once(socket.destroy(), 'close');
  });
  return {
    gateway, origin, provider, journal: noted, time, key,
    async connect(caller = {}) {
      const upstream = provider.accepted();
      const end = await openCaller(origin, { key: ownKey, ...caller });
      callers.push(end);
      return { caller: end, upstream: await upstream };
    },
    recordOf(is) {
      const found = noted.closed.find(is);
      return found === undefined ? new Promise((resolve) => waiting.push({ is, resolve })) : Promise.resolve(found);
    },
  };
}
