/**
 * Provider keys: connect, disconnect, and the state of each connection; never the key itself. Spec: Provider key connection;
 * rule 18.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { eachProvider, providers, wires, type Provider } from '@metergate/core/wire/wire.ts';
import { z } from 'zod';
import { refuseOtherThan, type ThingBefore } from './changed-meanwhile.ts';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { findOrganization } from './organizations.ts';
import { isPlaceholder } from './sandbox-placeholder.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

type ConnectionState = 'missing' | 'connected' | 'unreadable';

export interface ShownConnection {
  readonly provider: Provider;
  readonly organization: string;
  readonly state: ConnectionState;
}

const providerField = z.enum(providers, { error: `The provider must be one of ${providers.join(', ')}.` });

/**
 * Connects the key; it replaces an earlier one. White space around it, such as a line end, is not part of it. `was`: version of the key that was
 * connected when the change was made up, null where none was; `changed_meanwhile` if that is not so any more.
 */
export async function connectProvider(
  context: UseCaseContext,
  wanted: { readonly organization: string; readonly provider: string; readonly credential: string; readonly was?: ThingBefore | undefined },
): Promise<ShownConnection | AdministrationRefusal> {
  const provider = checkInput(providerField, wanted.provider as Provider);
  if (isRefusal(provider)) return provider;
  const organization = await findOrganization(context, wanted.organization);
  if (isRefusal(organization)) return organization;
  const credential = wanted.credential.trim();
  if (credential === '') {
    return refuseInput('invalid_credential', `The ${wires[provider.value].displayName} key is empty.`);
  }
  const refusal = await context.store.providers.connect(organization.id, provider.value, credential,
    refuseOtherThan<number>(wanted.was, { the: 'The key', a: 'a key' }, (version) => ({ version })));
  return refusal ?? { provider: provider.value, organization: organization.id, state: 'connected' };
}

/** Destroys the key. */
export async function disconnectProvider(
  context: UseCaseContext, wanted: { readonly organization: string; readonly provider: string },
): Promise<ShownConnection | AdministrationRefusal> {
  const provider = checkInput(providerField, wanted.provider as Provider);
  if (isRefusal(provider)) return provider;
  const organization = await findOrganization(context, wanted.organization);
  if (isRefusal(organization)) return organization;
  const refusal = await context.store.providers.disconnect(organization.id, provider.value);
  return refusal ?? { provider: provider.value, organization: organization.id, state: 'missing' };
}

interface ListedConnection extends ShownConnection {
  /** Another one with each key that is connected; null: none is. */
  readonly version: number | null;
  /** The sandbox's placeholder is connected, not a real key. */
  readonly placeholder: boolean;
}

/** The state of each provider key of one organization. */
export async function organizationConnections(context: UseCaseContext, idOrName: string): Promise<ListedConnection[] | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  return Promise.all(providers.map(async (provider) => {
    const version = await context.store.providers.version(organization.id, provider);
    const connection = await context.store.providers.state(organization.id, provider);
    return { provider, organization: organization.id, version, state: connection.state, placeholder: isPlaceholder(connection) };
  }));
}

/** The state of every connection of one organization. `placeholder`: the sandbox's placeholder is stored, not a key. */
export interface ShownConnections extends Readonly<Record<Provider, ConnectionState | 'placeholder'>> {
  readonly id: string;
  readonly name: string;
  /** `missing`: none declared. */
  readonly upstream: ConnectionState | 'disabled';
}

/** Every organization's connections, oldest organization first. */
export async function listConnections({ store }: UseCaseContext): Promise<ShownConnections[]> {
  const statesOf = async (id: OrganizationId): Promise<Record<Provider, ShownConnections[Provider]>> => {
    const connections = await Promise.all(providers.map((provider) => store.providers.state(id, provider)));
    return eachProvider((provider) => {
      const connection = connections[providers.indexOf(provider)]!;
      return isPlaceholder(connection) ? 'placeholder' : connection.state;
    });
  };
  const shown: ShownConnections[] = [];
  for (const { id, name } of await store.organizations.list()) {
    const upstream = await store.upstreams.show(id);
    shown.push({
      id, name,
      ...(await statesOf(id)),
      upstream: upstream === null ? 'missing' : upstream.state === 'unreadable' ? 'unreadable' : upstream.enabled ? 'connected' : 'disabled',
    });
  }
  return shown;
}
