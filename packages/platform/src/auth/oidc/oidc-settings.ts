/** The settings of signing in by OpenID Connect. Rules: `SVC_OIDC_…`; decision 75. */
export interface OidcSettings {
  /** The issuer's identifier, as its tokens carry it. */
  readonly issuer: string;
  readonly clientId: string;
  /** A secret. */
  readonly clientSecret: string;
  /** The claim that holds roles. */
  readonly roleClaim: string;
  /** A session that the provider vouched for ends after this long, however much it is used; roles are then read again. */
  readonly sessionMs: number;
  /** Whether signing out here also signs out at the provider, if it has an address for that. */
  readonly signOutThere: boolean;
  /** Whether an email counts as verified if the provider does not say; one that it calls unverified never does. */
  readonly emailsTrusted: boolean;
}

/** A working day with some margin. */
export const sessionHoursDefault = 12;

/** Whether a URL may be an issuer's: https, or http on this machine. */
export function isIssuerUrl(text: string): boolean {
  const url = /^https?:\/\/[^/\\]/i.test(text) ? URL.parse(text) : null;
  if (url === null || url.username !== '' || url.password !== '' || /[?#]/.test(text)) return false;
  return url.protocol === 'https:' || isLoopback(url.hostname);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
