/**
 * One small call through the gateway with a service key, as a client would send it: for whoever wants to see the whole path work before any
 * client is set up. It is metered, priced and refused like every other call. Nothing of the answer is shown but how it ended.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { wires, type Provider } from '@metergate/core/wire/wire.ts';
import { z } from 'zod';
import type { UseCaseContext } from './context.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { findOrganization } from './organizations.ts';
import { keyPresented } from './self.ts';

interface TestCallInput {
  /** Id or name. */
  readonly organization: string;
  /** A service key of that organization. Never kept. */
  readonly key: string;
  readonly provider: Provider;
  readonly model: string;
  /** Where callers reach the gateway. */
  readonly gatewayUrl: string;
}

interface TestCall {
  /** `x-svc-request-id` of the answer; null: the answer named none. */
  readonly id: string | null;
  readonly status: number;
  /** Null: the call was answered, and not refused. */
  readonly code: string | null;
  readonly message: string | null;
}

const deadlineMs = 30_000;
/** A key that was made just now takes up to a second to be known at a node. */
const waits = 12;
const waitMs = 250;

/** Refuses `unknown_organization`, `unknown_key` (of others too) and `gateway_unreachable`. */
export async function makeTestCall(
  context: UseCaseContext, { organization: idOrName, key, provider, model, gatewayUrl }: TestCallInput,
): Promise<TestCall | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const known = await keyPresented(context, key);
  if (known === null || known.organization !== organization.id) {
    return refuseInput('unknown_key',
      'This is not a service key of your organization that works. Paste the whole key, as it was shown when it was made.');
  }
  for (let left = waits; ; left -= 1) {
    const answer = await sent(`${gatewayUrl}${operations[provider].path}`, { key, provider, model });
    if (answer === null) {
      return refuseInput('gateway_unreachable',
        `The platform cannot reach the gateway at ${gatewayUrl}, or got no answer within ${deadlineMs / 1_000} seconds. Callers may still reach it.`);
    }
    if (answer.status !== 401 || answer.code !== 'invalid_api_key' || left === 0) return answer;
    await pause(waitMs);
  }
}

/** The smallest operation of each, and what bounds its answer. */
const operations: { readonly [P in Provider]: { readonly path: string; readonly bound: string } } = {
  openai: { path: '/v1/chat/completions', bound: 'max_completion_tokens' },
  anthropic: { path: '/alt/v1/messages', bound: 'max_tokens' },
};

const errorBody = z.object({ error: z.object({ code: z.string().max(200).nullish(), type: z.string().max(200).nullish(), message: z.string() }) });

/** Null: no answer. */
async function sent(url: string, { key, provider, model }: Pick<TestCallInput, 'key' | 'provider' | 'model'>): Promise<TestCall | null> {
  const { credentialHeader, requestHeaders } = wires[provider];
  const { name, value } = credentialHeader(key);
  const body = { model, messages: [{ role: 'user', content: 'Say hello' }], [operations[provider].bound]: 64 };
  try {
    const response = await fetch(url, {
      method: 'POST', headers: { 'content-type': 'application/json', 'x-svc-tags': 'test-call', ...requestHeaders, [name]: value },
      body: JSON.stringify(body), redirect: 'manual', signal: AbortSignal.timeout(deadlineMs),
    });
    const id = response.headers.get('x-svc-request-id');
    if (response.status < 400) {
      // To its end: a call that is left early is recorded as one.
      await response.arrayBuffer();
      return { id, status: response.status, code: null, message: null };
    }
    const said = errorBody.safeParse(await response.json().catch(() => null)).data?.error;
    const message = (said?.message ?? '').slice(0, 2_000).replaceAll(key, 'the key');
    return { id, status: response.status, code: said?.code ?? said?.type ?? 'error', message };
  } catch {
    return null;
  }
}
