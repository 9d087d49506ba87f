/**
 * Leases, heartbeats and the shared store's time, on the store thread (rules: Spend across nodes; rule 5b). One batch of
 * claims is under way at a time; where the store fails or is still busy with the last one, a batch is answered `failed`.
 * The embedded store's node is the authority: nothing here runs then, and only the latest instant ever written is sent.
 */
import type { GatewayNodeId } from '@metergate/core/id.ts';
import type { SubjectClaim } from '@metergate/core/spend/lease/book.ts';
import { easy } from '@metergate/core/spend/lease/grant.ts';
import type { Leases } from '../spend/leases.ts';
import type { FromStore } from './protocol.ts';

interface LeaseDeskOptions {
  readonly leases: Leases;
  readonly node: GatewayNodeId;
  /** Milliseconds on the clock that all threads share: `hrMs`. */
  readonly hrMs: () => number;
  readonly post: (message: FromStore) => void;
  /** Gets a sentence that an operator must see. */
  readonly warn: (sentence: string) => void;
}

export interface LeaseDesk {
  /** Always answers the batch. */
  claim(number: number, batch: number, claims: readonly SubjectClaim[]): Promise<void>;
  /**
   * Sends a heartbeat once a second, and else polls the feed while this node may hold a lease: none is valid for longer than it asked for none.
   * Returns the store's time if the node should use it. Rejects if the store fails.
   */
  poll(): Promise<StoreTime | null>;
}

/** The store's time, and when it was read, by `hrMs`. */
export interface StoreTime {
  readonly nowMs: number;
  readonly hrMs: number;
}

const beatMs = 1_000;
/** The store's time is used only from an answer that took no longer than this; the first one is used in any case. */
const roundTripMaxMs = 500;

export function createLeaseDesk({ leases, node, hrMs, post, warn }: LeaseDeskOptions): LeaseDesk {
  let busy = false;
  let feed: number | null = null;
  let beatAtMs = -Infinity;
  let claimedAtMs = -Infinity;
  let warned = false;
  let timeSent = false;

  function follow(latest: number): void {
    if (feed !== null && latest !== feed) post({ kind: 'confirm_leases' });
    feed = latest;
  }

  return {
    async claim(number, batch, claims) {
      if (busy) return post({ kind: 'failed', number });
      busy = true;
      claimedAtMs = hrMs();
      try {
        const answers = await leases.claim(node, batch, claims);
        post(answers === null ? { kind: 'failed', number } : { kind: 'leases', number, answers });
      } catch {
        post({ kind: 'failed', number });
      } finally {
        busy = false;
      }
    },
    async poll() {
      const asked = hrMs();
      if (asked - beatAtMs < beatMs) {
        if (asked - claimedAtMs < easy.validMs) follow(await leases.feed());
        return null;
      }
      const heard = await leases.heartbeat(node);
      beatAtMs = asked;
      follow(heard.feed);
      // The store read its clock at some point between question and answer. Assuming the earliest point makes the node's time late by up to
      // the length of the question. So slow answers are not used: a time that runs ahead is never taken back, and ends windows and runs early.
      const sent = timeSent && hrMs() - asked > roundTripMaxMs ? null : { nowMs: heard.nowMs, hrMs: asked };
      if (heard.known && sent !== null) {
        timeSent = true;
        post({ kind: 'time', ...sent });
      } else if (!heard.known && !warned) {
        warned = true;
        warn('The store has forgotten this gateway node, so capped calls are refused: it was not heard of for a day, or another node was started '
          + 'on a copy of its data directory. Restart this node; a node that was copied needs a data directory of its own.');
      }
      return sent;
    },
  };
}

/** Milliseconds on a monotonic clock that all threads of the process share. */
export function processMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
