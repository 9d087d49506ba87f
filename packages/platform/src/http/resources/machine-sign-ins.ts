/** Machines that sign in for a person, by `metergate login`. Decision 196. */
import { z } from '@hono/zod-openapi';
import {
  allowMachineSignIn, beginMachineSignIn, findMachineSignIn, refuseMachineSignIn, showMachineSignIn, takeMachineKey,
} from '../../use-cases/machine-sign-ins.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { isTooMany, unlessWithdrawn } from '../../auth/attempts.ts';
import { HttpRefusal } from '../envelope.ts';
import { openOperation, operation } from '../operation.ts';
import { idParams, instant } from './fields.ts';
import { ownKeyTerms } from './organizations.ts';

/** SHA-256 in base64url, and the random text that it is of. */
const proofText = z.string().regex(/^[\w-]{43,128}$/);

const shownSignIn = z.object({
  id: z.string(), machine: z.string().openapi({ description: 'The name that the machine gives itself' }), address: z.string(),
  startedAt: instant, expiresAt: instant,
  byBrowser: z.boolean().openapi({ description: 'The machine waits for its own browser; false: its person types the code that it shows' }),
  state: z.enum(['open', 'allowed', 'refused', 'taken']), mayAllow: z.boolean(),
  terms: ownKeyTerms.nullable().openapi({ description: 'What bounds its key; null: nothing but the organization\'s settings' }),
}).openapi('MachineSignIn');

const decided = z.object({
  returnTo: z.string().nullable().openapi({ description: 'Where the browser goes on, on the machine itself; null: the machine asks by itself' }),
}).openapi('MachineSignInDecided');

function tooMany(sentence: string, seconds: number): HttpRefusal {
  return new HttpRefusal(429, 'too_many_attempts', sentence, { 'retry-after': String(seconds) });
}

function held(waitSeconds: number | null, sentence: string): void {
  if (waitSeconds !== null) throw tooMany(sentence, waitSeconds);
}

export const machineSignInOperations = [
  openOperation({
    id: 'beginMachineSignIn', method: 'post', path: '/auth/machine-sign-ins', role: null, tag: 'auth', status: 201,
    summary: 'A machine asks for a key of whoever allows it; decided on a page, within ten minutes', refuses: ['too_many_sign_ins'], bounded: true,
    body: z.strictObject({
      challenge: z.string().regex(/^[\w-]{43}$/).openapi({ description: 'SHA-256 of the verifier, base64url' }),
      machine: z.string().max(200).default('').openapi({ description: 'Its name, for the person who decides' }),
      port: z.int().min(1).max(65_535).nullable().default(null)
        .openapi({ description: 'Where on 127.0.0.1 it waits for its browser; null: the person types a code' }),
    }),
    answer: z.object({
      id: z.string(), userCode: z.string().nullable(), path: z.string(), expiresInSeconds: z.int(), intervalSeconds: z.int(),
    }).openapi('BegunMachineSignIn'),
    run: async ({ context, parts, body, address }) => {
      held(parts.signInBounds.begins.take(address), 'Too many machines began to sign in from this address. Try again later.');
      return beginMachineSignIn(context, { ...body, address });
    },
  }),
  openOperation({
    id: 'takeMachineKey', method: 'post', path: '/auth/machine-sign-ins/{id}/take', role: null, tag: 'auth',
    summary: 'The machine takes the key, once, after its person has allowed it',
    refuses: ['unknown_sign_in', 'sign_in_over', 'forbidden', 'too_many_keys', 'unknown_member', 'unknown_organization'], bounded: true,
    params: idParams, body: z.strictObject({ verifier: proofText, code: proofText.nullable().default(null) }),
    answer: z.object({
      gatewayUrl: z.string().nullable(), key: z.string().nullable(), keyId: z.string().nullable(), prefix: z.string().nullable(),
      name: z.string().nullable(), person: z.string().nullable(), expiresAt: instant.nullable(), models: z.array(z.string()).readonly().nullable(),
      organization: z.object({ id: z.string(), name: z.string() }).nullable(), providers: z.array(z.string()).readonly(),
      upstreams: z.array(z.object({ name: z.string(), provider: z.string().nullable() })).readonly(),
    }).openapi('MachineKey', { description: 'Its fields are null while nobody has decided yet' }),
    run: async ({ context, parts: { gatewayUrl, signInBounds }, params, body, address }) => {
      held(signInBounds.asks.take(address), 'Machines at this address ask too often. Try again later.');
      const taken = await takeMachineKey(context, { id: params.id, ...body });
      if (isRefusal(taken)) return taken;
      if (taken === null) {
        return {
          gatewayUrl: null, key: null, keyId: null, prefix: null, name: null, person: null, expiresAt: null, models: null, organization: null,
          providers: [], upstreams: [],
        };
      }
      const { id: keyId, maxRunBudget: _none, ...key } = taken;
      return { gatewayUrl, keyId, ...key };
    },
  }),
  operation({
    id: 'findMachineSignIn', method: 'post', path: '/auth/machine-sign-ins/find', role: 'viewer', tag: 'auth', secrets: ['userCode'],
    summary: 'The sign-in whose code a machine shows', refuses: ['unknown_sign_in', 'forbidden'], bounded: true,
    body: z.strictObject({ userCode: z.string().min(1).max(40) }), answer: shownSignIn,
    run: async ({ context, parts, actor, body, address }) => {
      const attempt = parts.attempts.take({ kind: 'machine-code', email: actor.id, address });
      if (isTooMany(attempt)) {
        throw tooMany('Too many wrong codes were typed. Try again later.', attempt.retryAfterSeconds);
      }
      const found = await unlessWithdrawn(attempt, () => findMachineSignIn(context, actor, body.userCode));
      if (!isRefusal(found)) attempt.succeeded(actor.id);
      return found;
    },
  }),
  operation({
    id: 'showMachineSignIn', method: 'get', path: '/auth/machine-sign-ins/{id}', role: 'viewer', tag: 'auth',
    summary: 'A sign-in that a machine began', refuses: ['unknown_sign_in', 'forbidden'], params: idParams, answer: shownSignIn,
    run: ({ context, actor, params }) => showMachineSignIn(context, actor, params.id),
  }),
  operation({
    id: 'allowMachineSignIn', method: 'post', path: '/auth/machine-sign-ins/{id}/allow', role: 'member', tag: 'auth',
    summary: 'Let the machine take a key of the caller\'s', refuses: ['unknown_sign_in', 'sign_in_over', 'forbidden'],
    params: idParams, answer: decided, run: ({ context, actor, params }) => allowMachineSignIn(context, actor, params.id),
  }),
  operation({
    id: 'refuseMachineSignIn', method: 'post', path: '/auth/machine-sign-ins/{id}/refuse', role: 'viewer', tag: 'auth',
    summary: 'Refuse: the machine gets nothing', refuses: ['unknown_sign_in', 'sign_in_over', 'forbidden'],
    params: idParams, answer: decided, run: ({ context, actor, params }) => refuseMachineSignIn(context, actor, params.id),
  }),
] as const;
