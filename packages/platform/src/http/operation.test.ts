/** An operation's answer is bound to its schema: each of these lines must be a type error, or the type check fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from '@hono/zod-openapi';
import { openOperation, operation, readingOperation } from './operation.ts';

const guarded = { id: 'x', path: '/x', role: 'viewer', tag: 'x', summary: '' } as const;
const open = { ...guarded, method: 'post', role: null } as const;
const answer = z.object({ id: z.string(), kinds: z.array(z.enum(['one', 'two'])), endedAt: z.string().nullable() });

test('a use case that gives something else than the schema declares does not compile', () => {
  const right = { id: 'a', kinds: ['one'], endedAt: null } as { readonly id: string; readonly kinds: readonly 'one'[]; readonly endedAt: null };
  const made = [
    operation({ ...guarded, method: 'get', answer, run: async () => right }),
    readingOperation({ ...guarded, answer, run: async () => right }),
    openOperation({ ...open, answer, run: async () => ({ refused: { code: 'invalid_input', message: 'A refusal is always an answer.' } }) }),
    // @ts-expect-error: a field is missing.
    operation({ ...guarded, method: 'get', answer, run: async () => ({ id: 'a', kinds: [] as 'one'[] }) }),
    // @ts-expect-error: null is not declared.
    readingOperation({ ...guarded, answer, run: async () => ({ ...right, id: null }) }),
    // @ts-expect-error: arbitrary text is not one of the two declared values.
    openOperation({ ...open, answer, run: async () => ({ ...right, kinds: ['three'] as string[] }) }),
    // @ts-expect-error: a field has another type.
    operation({ ...guarded, method: 'get', answer, run: async () => ({ ...right, endedAt: 5 }) }),
  ];
  assert.equal(made.length, 7);
});
