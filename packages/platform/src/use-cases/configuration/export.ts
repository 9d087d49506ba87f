/**
 * An organization → its configuration, such that applying it there again changes nothing. Decision 76. No secret is in it.
 */
import { showAllocationRules } from '../allocation/allocation-rules.ts';
import { listAlerts } from '../alerts/alerts.ts';
import { listCaps } from '../caps.ts';
import type { UseCaseContext } from '../context.ts';
import { showOrganization, type ShownOrganization } from '../organizations.ts';
import { listNamedUpstreams } from '../named-upstreams.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { listServiceKeys, type ShownServiceKey } from '../service-keys.ts';
import { showUpstream, type ShownUpstream } from '../upstreams.ts';
import { listWebhooks } from '../webhooks/webhooks.ts';
import type { CapEntry, Configuration, KeyEntry, UpstreamEntry } from './configuration.ts';

export interface ExportedConfiguration {
  readonly configuration: Required<Configuration>;
  /** An upstream has a credential, which is not in it. */
  readonly credentialLeftOut: boolean;
}

/** An organization as a configuration file, without any secret. Refuses `unknown_organization`. */
export async function exportConfiguration(context: UseCaseContext, idOrName: string): Promise<ExportedConfiguration | AdministrationRefusal> {
  const organization = await showOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const { id, name } = organization;
  const [keys, caps, alerts, webhooks, upstream] = [
    await listServiceKeys(context, id), await listCaps(context, id), await listAlerts(context, id), await listWebhooks(context, id),
    await showUpstream(context, id),
  ];
  const allocation = await showAllocationRules(context, id);
  if (isRefusal(allocation)) return allocation;
  if (isRefusal(keys)) return keys;
  if (isRefusal(caps)) return caps;
  if (isRefusal(alerts)) return alerts;
  if (isRefusal(webhooks)) return webhooks;
  const live = keys.filter(({ revokedAt }) => revokedAt === null);
  const declared = isRefusal(upstream) ? null : upstream;
  const named = await listNamedUpstreams(context, id);
  if (isRefusal(named)) return named;
  return {
    configuration: {
      organization: name, settings: settingsOf(organization), keys: live.map((key) => keyEntry(key, live)),
      caps: caps.map(({ id: cap, scope, key, project, person, label, window, limit, mode }): CapEntry => ({
        scope, ...(key === null ? {} : { key: keyWord(key, live) }), ...(project === null ? {} : { project }),
        ...(person === null ? {} : { person }), ...(label === null ? {} : { label }), window, limit, mode,
        ...alertsOf(alerts.find((each) => each.cap === cap)?.at),
      } as CapEntry)),
      webhooks: webhooks.map(({ url, events }) => ({ url, events })),
      upstream: declared === null ? null : upstreamEntry(declared),
      upstreams: named.map(({ name: of, auth, dialect, provider, ...rest }) => ({ name: of, auth, dialect, provider, ...upstreamEntry(rest) })),
      allocation: allocation.allocation,
    },
    credentialLeftOut: declared?.hasCredential === true || named.some(({ hasCredential }) => hasCredential),
  };
}

/** Agreed figures count on the enterprise plan only, and can be set there alone. */
function settingsOf(
  { id: _id, name: _name, createdAt: _createdAt, recordsGoneBefore: _gone, requestsPerMinute, tokensPerMinute, ...rest }: ShownOrganization,
) {
  return rest.plan === 'enterprise' ? { ...rest, requestsPerMinute, tokensPerMinute } : rest;
}

function isNamedAlone({ name }: ShownServiceKey, live: readonly ShownServiceKey[]): boolean {
  // A name that is another key's id would be read as that.
  return name !== null && live.filter((other) => other.name === name).length === 1 && !live.some(({ id }) => id === name);
}

function keyEntry(key: ShownServiceKey, live: readonly ShownServiceKey[]): KeyEntry {
  const { id, name, project, maxRunBudget, models, expiresAt, disabledAt } = key;
  return {
    ...(isNamedAlone(key, live) ? {} : { id }), ...(name === null ? {} : { name }), ...(project === null ? {} : { project }),
    ...(models === null ? {} : { models }), ...(maxRunBudget === null ? {} : { maxRunBudget }), ...(expiresAt === null ? {} : { expiresAt }),
    ...(disabledAt === null ? {} : { disabled: true }),
  };
}

function keyWord(id: string, live: readonly ShownServiceKey[]): string {
  const key = live.find((each) => each.id === id);
  return key !== undefined && isNamedAlone(key, live) ? key.name! : id;
}

function alertsOf(at: readonly number[] | undefined): { readonly alerts?: readonly number[] } {
  return at === undefined ? {} : { alerts: at };
}

function upstreamEntry({ url, enabled, hasCredential }: Pick<ShownUpstream, 'url' | 'enabled' | 'hasCredential'>): UpstreamEntry {
  return { url, enabled, ...(hasCredential ? {} : { credential: null }) };
}
