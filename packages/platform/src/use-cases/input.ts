/**
 * Input of a use case → a checked value, or the refusal that names the first thing wrong with it. The sentences are written beside their
 * fields; they never repeat what was sent.
 */
import type { z } from 'zod';
import { refuseInput, type AdministrationRefusal } from './refusal.ts';

/** Parse options that empty the library's own messages, since those may repeat a value. Only our sentences remain. */
export const ownSentencesAlone = { error: () => '' } as const;

/** The value as the schema gives it, or a refusal `invalid_input`. */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema, input: z.input<Schema>,
): { readonly value: z.output<Schema> } | AdministrationRefusal {
  const result = schema.safeParse(input, ownSentencesAlone);
  if (result.success) return { value: result.data };
  return refuseInput('invalid_input', result.error.issues[0]?.message || 'The input is not of the expected form.');
}
