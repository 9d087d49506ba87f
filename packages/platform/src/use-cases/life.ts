/** A lifetime → the instant at which it expires, or the refusal. */
import { instantMsMax } from '@metergate/core/run/declaration.ts';
import { refuseInput, type AdministrationRefusal } from './refusal.ts';

/** `lifetimeMs` from `nowMs` on, a whole millisecond. Refuses a lifetime of zero, and an end that no date can express. */
export function lifeEnd(nowMs: number, lifetimeMs: number): number | AdministrationRefusal {
  const endMs = Math.floor(nowMs + lifetimeMs);
  return endMs > nowMs && endMs <= instantMsMax ? endMs
    : refuseInput('invalid_input', 'The expiry must be a positive duration that ends before the year 275000.');
}
