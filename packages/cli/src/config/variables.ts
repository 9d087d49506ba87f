/** The names of all settings, and the closest one to suggest for an unknown name. Rules: Interfaces. */
import type { Provider } from '@metergate/core/wire/wire.ts';

/** Every variable that the product reads under its own prefix. */
export const variableNames = [
  'SVC_HOST', 'SVC_PLATFORM_HOST', 'SVC_OPS_HOST', 'SVC_GATEWAY_PORT', 'SVC_PLATFORM_PORT', 'SVC_OPS_PORT',
  'SVC_DATA_DIR', 'SVC_DATABASE_URL', 'SVC_REPORTS_DATABASE_URL', 'SVC_MASTER_KEY', 'SVC_OPENAI_URL', 'SVC_ANTHROPIC_URL', 'SVC_UPSTREAM_ALLOW',
  'SVC_PRICES_URL', 'SVC_PRICES_SHA256_URL',
  'SVC_JOURNAL_SYNC', 'SVC_RUN_REGISTRY_MAX', 'SVC_HELD_BODIES_MB', 'SVC_SESSION_HEADERS',
  'SVC_GRACE_SECONDS', 'SVC_LOG_FORMAT', 'SVC_LOG_LEVEL', 'SVC_ACCESS_LOG', 'SVC_OWN_CALLS',
  'SVC_PUBLIC_GATEWAY_URL', 'SVC_PUBLIC_PLATFORM_URL', 'SVC_TRUSTED_PROXIES',
  'SVC_OIDC_ISSUER', 'SVC_OIDC_CLIENT_ID', 'SVC_OIDC_CLIENT_SECRET', 'SVC_OIDC_ROLE_CLAIM', 'SVC_OIDC_SESSION_HOURS',
  'SVC_OIDC_SIGN_OUT', 'SVC_OIDC_EMAILS',
  'SVC_DATABASE_URL_FILE', 'SVC_REPORTS_DATABASE_URL_FILE', 'SVC_MASTER_KEY_FILE', 'SVC_OIDC_CLIENT_SECRET_FILE',
] as const;
export type VariableName = (typeof variableNames)[number];

/** Which variable replaces a provider's own URL. */
export const providerUrlVariables: Readonly<Record<Provider, VariableName>> = { openai: 'SVC_OPENAI_URL', anthropic: 'SVC_ANTHROPIC_URL' };

export type Environment = Readonly<Record<string, string | undefined>>;

/** The sentence about the first unknown variable with our prefix; null if there is none. */
export function unknownVariable(env: Environment): string | null {
  const unknown = Object.keys(env).filter((name) => name.startsWith('SVC_') && env[name] !== undefined)
    .filter((name) => !(variableNames as readonly string[]).includes(name) && !isForeign(name, env[name]!)).sort()[0];
  if (unknown === undefined) return null;
  const near = closest(unknown, variableNames);
  const shown = unknown.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 80);
  return `Unknown variable ${shown}.${near === null ? ' Remove it; docs/settings.md lists the settings.' : ` Did you mean ${near}?`}`;
}

/** What Kubernetes tells a container of a service whose name begins with `svc`: its address, and each of its ports. No setting has such a name. */
const ofService = /_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]{1,63})?)$|_PORT_[0-9]{1,5}_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;

/** Variables of the tap, and what a container platform injects for a service with this prefix. */
function isForeign(name: string, value: string): boolean {
  return name.startsWith('SVC_TAP_') || /^(?:tcp|udp|sctp):\/\//.test(value) || ofService.test(name);
}

/**
 * The value of a variable; null if it is unset or empty. An address that a container platform injects as `…_PORT` is
 * not a setting.
 */
export function valueOf(env: Environment, name: VariableName): string | null {
  const value = env[name]?.trim();
  if (value === undefined || value === '') return null;
  return name.endsWith('_PORT') && value.startsWith('tcp://') ? null : value;
}

/** The name that `wanted` most likely stands for: at most three letters changed, added or left out. Null: none is close. */
export function closest(wanted: string, names: readonly string[]): string | null {
  const near = names.map((name) => ({ name, distance: editDistance(wanted, name) }))
    .filter(({ name, distance }) => distance <= (name.length > 6 ? 3 : 2)).sort((a, b) => a.distance - b.distance);
  return near[0]?.name ?? null;
}

function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 3) return 4;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + same));
    }
    row = next;
  }
  return row[to.length]!;
}
