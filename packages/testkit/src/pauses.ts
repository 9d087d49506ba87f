/**
 * Waiting for what comes about in another process: a look, a pause, a look again. Every look takes processor time away from what is waited
 * for, so the pauses grow: what is there soon is seen soon, and a long wait is a few dozen looks, not a thousand.
 */
import { setTimeout as pass } from 'node:timers/promises';

const firstMs = 2;
const longestMs = 100;
const growth = 1.5;

/** Of one wait: each call resolves after a longer pause than the one before, from 2 ms up to 100. */
export function pauses(): () => Promise<void> {
  let nextMs = firstMs;
  return () => {
    const pauseMs = nextMs;
    nextMs = Math.min(longestMs, nextMs * growth);
    return pass(pauseMs);
  };
}
