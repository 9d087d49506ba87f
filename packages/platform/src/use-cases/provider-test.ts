/**
 * A test call with an organization's provider key: does the provider accept it? Rule 18; rules: `provider test`.
 * It lists the models, which costs nothing. Only the status is looked at; nothing the provider answers is shown or stored.
 */
import { providers, wires, type Provider } from '@metergate/core/wire/wire.ts';
import { z } from 'zod';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { findOrganization } from './organizations.ts';
import { isPlaceholder } from './sandbox-placeholder.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

const deadlineMs = 10_000;

interface ProviderTest {
  readonly provider: Provider;
  readonly organization: string;
  /** The stored key could be read; one that cannot be is a refusal. */
  readonly state: 'connected';
  /** True: the provider accepted the key. False: it did not. Null: it answered, but not about the key (for example 5xx or 429). */
  readonly accepted: boolean | null;
  /** What the provider answered. */
  readonly status: number;
}

const providerField = z.enum(providers, { error: `The provider must be one of ${providers.join(', ')}.` });

/** One request to the provider with the stored key, and the result in a sentence. Refuses `unknown_organization` and an unknown provider. */
export async function testProvider(
  context: UseCaseContext,
  { organization: idOrName, provider: wanted, urls }:
    { readonly organization: string; readonly provider: string; readonly urls: Readonly<Record<Provider, string>> },
): Promise<ProviderTest | AdministrationRefusal> {
  const provider = checkInput(providerField, wanted as Provider);
  if (isRefusal(provider)) return provider;
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const name = wires[provider.value].displayName;
  const connection = await context.store.providers.state(organization.id, provider.value);
  if (connection.state === 'missing') return refuseInput('provider_not_connected', `No ${name} key is connected for this organization.`);
  if (connection.state === 'unreadable') {
    return refuseInput('provider_key_unreadable', `The ${name} key is stored but cannot be read with the present master key. Connect it again.`);
  }
  if (isPlaceholder(connection)) {
    return refuseInput('sandbox_placeholder', `Only the sandbox's placeholder is connected, not a key of ${name}: there is nothing to test.`);
  }
  const status = await statusOf(provider.value, urls[provider.value], connection.credential);
  if (status === null) {
    const { host } = new URL(urls[provider.value]);
    return refuseInput('provider_unreachable', `${name} cannot be reached at ${host}, or did not answer within ${deadlineMs / 1_000} seconds.`);
  }
  const accepted = status >= 200 && status < 300 ? true : status === 401 || status === 403 ? false : null;
  return { provider: provider.value, organization: organization.id, state: 'connected', accepted, status };
}

/** Null: no answer. Redirects are not followed: the key goes only to this address. */
async function statusOf(provider: Provider, url: string, credential: string): Promise<number | null> {
  const { credentialHeader, requestHeaders } = wires[provider];
  const { name, value } = credentialHeader(credential);
  const headers = { ...requestHeaders, [name]: value };
  try {
    const response = await fetch(`${url}/v1/models`, { headers, redirect: 'manual', signal: AbortSignal.timeout(deadlineMs) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}
