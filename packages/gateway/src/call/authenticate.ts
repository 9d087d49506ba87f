/**
 * Credential → the live service key it names, or 401. Spec: Authentication 1. Unknown, revoked, expired, malformed and
 * missing keys are one answer. Only the SHA-256 of a presented key is looked up; where the store must be asked and is
 * away, the caller learns that the gateway cannot tell (500), never that the key is wrong.
 */
import { hash } from 'node:crypto';
import type { Connection } from '../callers/connections.ts';
import type { ReadHead } from '../callers/read-head.ts';
import type { ShownKey } from '../callers/shown-key.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import type { HeldKey } from '../guards/held-key.ts';

/** A live key, and the hash by which it is found again. */
interface Authenticated {
  readonly hash: string;
  readonly held: HeldKey;
}

/** What a request shows of itself: `presented` is null if nothing has the form of a key. */
interface Showing {
  readonly presented: string | null;
  /** Where it shows that. */
  readonly head: ReadHead;
  readonly connection: Connection;
}

/** Calls `decided` once: at once when the key is held, else when the store has answered. */
export function authenticate(
  node: GatewayNode, { presented, head, connection }: Showing, decided: (outcome: Authenticated | 'invalid' | 'unavailable') => void,
): void {
  if (presented === null) return decided('invalid');
  const digest = (head.shown ??= shownOn(connection, presented)).hash;
  const held = node.settings.held(digest);
  if (held === 'unknown') return decided('invalid');
  if (held !== undefined) return decided(liveOrInvalid(node, digest, held));
  node.settings.ask(digest).then(
    (asked) => decided(judged(node, digest, asked)),
    () => decided('unavailable'),
  );
}

/** Requests of a connection mostly show the same key, which need not be hashed again (decision 0260). It is kept until another is shown. */
function shownOn(connection: Connection, text: string): ShownKey {
  const { shown } = connection;
  return shown !== null && isSame(shown.text, text) ? shown : connection.shown = { text, hash: hash('sha256', text, 'hex') };
}

/** Takes the same time wherever they differ: a balancer's connection carries the keys of many callers. */
function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

/** What the store answered. A throw here would reach the process: nothing awaits the question. */
function judged(node: GatewayNode, hash: string, asked: HeldKey | null): Authenticated | 'invalid' | 'unavailable' {
  try {
    return asked === null ? 'invalid' : liveOrInvalid(node, hash, asked);
  } catch (cause) {
    node.faults.note('admission', cause);
    return 'unavailable';
  }
}

function liveOrInvalid(node: GatewayNode, hash: string, held: HeldKey): Authenticated | 'invalid' {
  return isLive(node, held) ? { hash, held } : 'invalid';
}

/** The key as it is now, with settings that changed since; null if it is no longer live. */
export function stillHeld(node: GatewayNode, hash: string): HeldKey | null {
  const held = node.settings.held(hash);
  return held !== undefined && held !== 'unknown' && isLive(node, held) ? held : null;
}

function isLive(node: GatewayNode, { key: { expiresAtMs } }: HeldKey): boolean {
  return expiresAtMs === null || node.clock.wallMs() < expiresAtMs;
}
