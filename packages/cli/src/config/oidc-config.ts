/** The settings of an identity provider: all of them are set, or none. Rules: Interfaces. Error sentences repeat none of their values. */
import { isIssuerUrl, sessionHoursDefault, type OidcSettings } from '@metergate/platform/auth/oidc/oidc-settings.ts';
import { BadValue, oneOf, wholeNumber } from './values.ts';
import { valueOf, type Environment } from './variables.ts';

const names = ['SVC_OIDC_ISSUER', 'SVC_OIDC_CLIENT_ID', 'SVC_OIDC_CLIENT_SECRET', 'SVC_OIDC_ROLE_CLAIM'] as const;

/** Null: none is set. @throws BadValue */
export function oidcOf(env: Environment): OidcSettings | null {
  const values = names.map((name) => valueOf(env, name));
  const more = (['SVC_OIDC_SESSION_HOURS', 'SVC_OIDC_SIGN_OUT', 'SVC_OIDC_EMAILS'] as const).filter((name) => valueOf(env, name) !== null);
  if (values.every((value) => value === null) && more.length === 0) return null;
  const absent = names.filter((_, index) => values[index] === null);
  if (absent.length > 0) {
    const verb = absent.length === 1 ? 'is' : 'are';
    throw new BadValue(`Signing in by OpenID Connect needs all of its settings: ${absent.join(', ')} ${verb} not set.`);
  }
  const [issuer, clientId, clientSecret, roleClaim] = values as [string, string, string, string];
  if (!isIssuerUrl(issuer)) {
    throw new BadValue('SVC_OIDC_ISSUER must be a URL that begins with https://, without user name, query and fragment; http:// is allowed '
      + 'only for this machine.');
  }
  if (!/^[\x20-\x7e]{1,500}$/.test(clientId)) throw new BadValue('SVC_OIDC_CLIENT_ID must be at most 500 plain characters.');
  if (!/^[\x20-\x7e]{1,2000}$/.test(clientSecret)) throw new BadValue('SVC_OIDC_CLIENT_SECRET must be at most 2000 plain characters.');
  if (!/^[\x21-\x7e]{1,200}$/.test(roleClaim)) {
    throw new BadValue('SVC_OIDC_ROLE_CLAIM must be the name of a claim, at most 200 characters without spaces.');
  }
  const hours = wholeNumber(env, 'SVC_OIDC_SESSION_HOURS', { min: 1, max: 720, fallback: sessionHoursDefault });
  const signOut = oneOf(env, 'SVC_OIDC_SIGN_OUT', ['provider', 'here']);
  const emails = oneOf(env, 'SVC_OIDC_EMAILS', ['verified', 'trusted']);
  return {
    issuer, clientId, clientSecret, roleClaim, sessionMs: hours * 3_600_000,
    signOutThere: signOut === 'provider', emailsTrusted: emails === 'trusted',
  };
}
