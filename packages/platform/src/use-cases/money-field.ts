/**
 * An amount of US dollars as people and programs write it → nano-dollars, or the sentence that names the field. Plain decimal
 * text, at most nine places: a limit must be exactly what was written, so nothing is rounded and exponents are not accepted.
 */
import { parseDollars, type NanoDollars } from '@metergate/core/money.ts';
import { z } from 'zod';

/** The form of an amount that is sent, for the OpenAPI document. */
export const sentDollars = {
  description: 'US dollars from 0, below 9.2 billion, as decimal text with at most nine places', example: '2.50',
  pattern: String.raw`^\d{1,10}(\.\d{1,9})?$`,
};

/** `what` begins the sentence: `The limit of a cap`. From 0. */
export function moneyField(what: string) {
  const message = `${what} must be an amount of US dollars from 0, below 9.2 billion, with at most nine decimal places, such as 2.50.`;
  const form = { ...sentDollars, description: `${what}: ${sentDollars.description}` };
  return z.string({ error: message }).meta(form).transform((text, context): NanoDollars => {
    const amount = /^\d{1,10}(?:\.\d{1,9})?$/.test(text) ? parseDollars(text) : null;
    if (amount !== null) return amount;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}
