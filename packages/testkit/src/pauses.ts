/**
 * Pauses for polling another process. Every poll takes processor time away from what is awaited, so the pauses grow: a short wait is noticed
 * soon, and a long one costs a few dozen polls, not a thousand.
 */
import { setTimeout as pass } from 'node:timers/promises';

const firstMs = 2;
const longestMs = 100;
const growth = 1.5;

/** The pauses of one wait: each call resolves after a longer pause than the one before, from 2 ms up to 100. */
export function pauses(): () => Promise<void> {
  let nextMs = firstMs;
  return () => {
    const pauseMs = nextMs;
    nextMs = Math.min(longestMs, nextMs * growth);
    return pass(pauseMs);
  };
}
