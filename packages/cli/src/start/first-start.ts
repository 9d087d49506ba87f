/**
 * What the first start sets up in an empty store: the organization `default` on plan Scale, the provider keys found in the
 * environment at that moment and, for a terminal only, a first service key (rules: Interfaces). With `--sandbox`, placeholder keys are connected
 * if there is no real one; a later start without it removes them.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { providers, type Provider } from '@metergate/core/wire/wire.ts';
import { isPlaceholder, sandboxCredential } from '@metergate/platform/use-cases/sandbox-placeholder.ts';
import type { Store } from '@metergate/store/store.ts';

const defaultOrganization = 'default';

const keyVariable: { readonly [P in Provider]: string } = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' };

export interface FirstStartOptions {
  readonly store: Store;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  readonly sandbox: boolean;
  readonly randomBytes: (n: number) => Uint8Array;
  readonly nowMs: number;
}

export interface FirstStart {
  /** The store was empty. */
  readonly first: boolean;
  /** Shown once; null if none was made. */
  readonly serviceKey: string | null;
  /** Path of the first owner's one-time link, shown once; null if none was made. */
  readonly ownerPath: string | null;
  /** Variables whose keys were connected now. */
  readonly connectedFrom: readonly string[];
  /** Providers of `default` that have a key now. */
  readonly connected: readonly Provider[];
  /** `default` was set up before, and no owner has joined by a link since. */
  readonly ownerAwaited: boolean;
}

/** Prepares the store for this start; in a store that is in use it changes only the sandbox's placeholders. */
export async function prepareFirstStart(options: FirstStartOptions): Promise<FirstStart> {
  const { store } = options;
  const organizations = await store.organizations.list();
  const first = organizations.length === 0;
  if (first) await store.organizations.create({ name: defaultOrganization, plan: 'scale' });
  const organization = await store.organizations.find(defaultOrganization);
  if (organization === null || 'refused' in organization) {
    return { first: false, serviceKey: null, ownerPath: null, connectedFrom: [], connected: [], ownerAwaited: false };
  }
  const connectedFrom = first && !options.sandbox ? await connectFromEnvironment(options, organization.id) : [];
  await placeSandboxCredentials(options, organization.id);
  const serviceKey = first && options.isTerminal ? await firstServiceKey(options, organization.id) : null;
  const ownerPath = first && options.isTerminal ? await firstOwnerPath(options, organization.id) : null;
  const connected: Provider[] = [];
  for (const provider of providers) {
    if ((await store.providers.state(organization.id, provider)).state === 'connected') connected.push(provider);
  }
  const ownerAwaited = !first && !(await store.members.list(organization.id)).some(({ role }) => role === 'owner');
  return { first, serviceKey, ownerPath, connectedFrom, connected, ownerAwaited };
}

async function connectFromEnvironment({ store, env }: FirstStartOptions, organization: OrganizationId): Promise<string[]> {
  const found: string[] = [];
  for (const provider of providers) {
    const credential = env[keyVariable[provider]]?.trim();
    if (credential === undefined || credential === '') continue;
    await store.providers.connect(organization, provider, credential);
    found.push(keyVariable[provider]);
  }
  return found;
}

async function placeSandboxCredentials({ store, sandbox }: FirstStartOptions, organization: OrganizationId): Promise<void> {
  for (const provider of providers) {
    const connection = await store.providers.state(organization, provider);
    if (sandbox && connection.state === 'missing') await store.providers.connect(organization, provider, sandboxCredential);
    if (!sandbox && isPlaceholder(connection)) await store.providers.disconnect(organization, provider);
  }
}

/** What only a terminal's first start does is loaded then. */
async function firstServiceKey({ store, randomBytes, nowMs }: FirstStartOptions, organization: OrganizationId): Promise<string | null> {
  const { createServiceKey } = await import('@metergate/platform/use-cases/service-keys.ts');
  const made = await createServiceKey({ store, randomBytes, nowMs }, { organization, name: 'first key' });
  return 'refused' in made ? null : made.key;
}

async function firstOwnerPath({ store, randomBytes, nowMs }: FirstStartOptions, organization: OrganizationId): Promise<string | null> {
  const { inviteUser } = await import('@metergate/platform/use-cases/users.ts');
  const made = await inviteUser({ store, randomBytes, nowMs }, { organization, email: null, role: 'owner', by: null, publicUrl: '' });
  return 'refused' in made ? null : made.link;
}
