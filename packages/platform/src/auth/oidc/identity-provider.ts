/**
 * The identity provider that people may sign in by: OpenID Connect, authorization code with PKCE, state and nonce, on openid-client.
 * Rule 16; decision 75. Its discovery document is fetched when first needed and cached for an hour. If the provider does not answer,
 * the cached one stays in use, and the provider is asked again after a few seconds. No token is stored on a server.
 */
import * as oidc from 'openid-client';
import { limitRepeats } from '../../faults/limited-repeats.ts';
import { claimsOf, lacksRoleOrEmail, type ProvidedClaims } from './provided-claims.ts';
import type { OidcSettings } from './oidc-settings.ts';

const hourMs = 3_600_000;
const askAgainMs = 3_000;
const timeoutSeconds = 10;
const clockToleranceSeconds = 30;

/** The secrets of one sign-in, from its start to its callback. All three belong to one browser. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** `away`: it does not answer. `denied`: it refuses the person. `not_confirmed`: the answer does not match the sign-in, or is from elsewhere. */
export type ProviderFault = 'away' | 'denied' | 'not_confirmed';

export interface FinishedSignIn {
  readonly claims: ProvidedClaims;
  /** For signing out there. */
  readonly idToken: string;
}

export interface IdentityProvider {
  /** The issuer's host, for a button. */
  readonly name: string;
  readonly issuer: string;
  readonly roleClaim: string;
  /** Fetches the discovery document ahead of the first sign-in; a failure is logged, not thrown. */
  warm(): Promise<void>;
  /** Where to send the browser. */
  begin(redirectUri: string): Promise<{ readonly location: string; readonly checks: SignInChecks } | { readonly fault: ProviderFault }>;
  /** `answered`: the address that the provider sent the browser back to, on the exact redirect URI. */
  finish(answered: URL, checks: SignInChecks): Promise<FinishedSignIn | { readonly fault: ProviderFault }>;
  /**
   * Where to send the browser to sign out there as well, to come back to `backTo`. `idToken` may be empty. Null: the provider has no such
   * address, does not answer, or signing out there is not wanted.
   */
  signOut(idToken: string, backTo: string): Promise<string | null>;
}

export interface IdentityProviderOptions {
  readonly settings: OidcSettings;
  readonly clock: () => number;
  /** A sentence for the operator, without secrets or personal data. */
  readonly say: (sentence: string) => void;
}

export function createIdentityProvider({ settings, clock, say }: IdentityProviderOptions): IdentityProvider {
  const { issuer, roleClaim } = settings;
  const sayOnce = limitRepeats(clock, say);
  const lookUp = discovery(settings, clock, sayOnce);
  return {
    name: new URL(issuer).host, issuer, roleClaim,
    async warm() {
      await lookUp();
    },
    async begin(redirectUri) {
      const config = await lookUp();
      if (config === null) return { fault: 'away' };
      const checks = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri, scope: scopeFor(config, roleClaim), state: checks.state, nonce: checks.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier), code_challenge_method: 'S256',
      });
      return { location: url.href, checks };
    },
    async finish(answered, { state, nonce, verifier }) {
      const config = await lookUp();
      if (config === null) return { fault: 'away' };
      try {
        const tokens = await oidc.authorizationCodeGrant(config, answered, {
          expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true,
        });
        const own = tokens.claims()!;
        if (!isForClient(own, settings.clientId)) {
          sayOnce('A sign-in by OpenID Connect was not completed: the ID token was issued to another client.');
          return { fault: 'not_confirmed' };
        }
        const more = lacksRoleOrEmail(own, roleClaim) && config.serverMetadata().userinfo_endpoint !== undefined
          ? await oidc.fetchUserInfo(config, tokens.access_token, own.sub) : {};
        return { claims: claimsOf(own, more, settings), idToken: tokens.id_token! };
      } catch (error) {
        const fault = faultOf(error);
        if (fault !== 'denied') sayOnce(`A sign-in by OpenID Connect was not completed: ${codeOf(error)}.`);
        return { fault };
      }
    },
    async signOut(idToken, backTo) {
      const config = settings.signOutThere ? await lookUp() : null;
      if (config === null || config.serverMetadata().end_session_endpoint === undefined) return null;
      const hint = idToken === '' ? {} : { id_token_hint: idToken };
      return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: backTo, ...hint }).href;
    },
  };
}

/** Null while the provider does not answer. One request at a time, however many wait for it. */
function discovery(settings: OidcSettings, clock: () => number, sayOnce: (sentence: string) => void): () => Promise<oidc.Configuration | null> {
  let known: { readonly config: oidc.Configuration; readonly atMs: number } | null = null;
  let failedAtMs = -askAgainMs;
  let looking: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    try {
      known = { config: await discovered(settings), atMs: clock() };
    } catch (error) {
      failedAtMs = clock();
      sayOnce(`The identity provider of SVC_OIDC_ISSUER cannot be used, so nobody signs in by it until it can: ${codeOf(error)}.`);
    } finally {
      looking = null;
    }
  };
  return async () => {
    if (known !== null && clock() - known.atMs < hourMs) return known.config;
    if (clock() - failedAtMs >= askAgainMs) looking ??= look();
    if (known === null) await looking;
    return known?.config ?? null;
  };
}

async function discovered({ issuer, clientId, clientSecret }: OidcSettings): Promise<oidc.Configuration> {
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
  const config = await oidc.discovery(new URL(issuer), clientId, { [oidc.clockTolerance]: clockToleranceSeconds }, (server, ...rest) => {
    // The default, if a provider does not say.
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    return (methods.includes('client_secret_basic') || !methods.includes('client_secret_post') ? basic : post)(server, ...rest);
  }, { timeout: timeoutSeconds, execute: new URL(issuer).protocol === 'http:' ? [oidc.allowInsecureRequests] : [] });
  // The signature is checked even though the token comes from the provider itself.
  oidc.enableNonRepudiationChecks(config);
  return config;
}

/** Providers name the scope that releases a claim like the claim: requested if they announce it. */
function scopeFor(config: oidc.Configuration, roleClaim: string): string {
  const { scopes_supported: supported = [] } = config.serverMetadata();
  return ['openid', 'email', ...(roleClaim !== 'openid' && roleClaim !== 'email' && supported.includes(roleClaim) ? [roleClaim] : [])].join(' ');
}

/** The library checks the audience, but the authorized party only for a token with several audiences. */
function isForClient({ azp }: { readonly azp?: unknown }, clientId: string): boolean {
  return azp === undefined || azp === clientId;
}

function faultOf(error: unknown): ProviderFault {
  if (error instanceof oidc.AuthorizationResponseError) return error.error === 'access_denied' ? 'denied' : 'not_confirmed';
  const unanswered = error instanceof oidc.ClientError && ['OAUTH_TIMEOUT', 'OAUTH_ABORT'].includes(String(error.code));
  // What `fetch` throws if there is no connection.
  return unanswered || (error instanceof TypeError && error.message === 'fetch failed') ? 'away' : 'not_confirmed';
}

/** The cause in a word or two: codes only, since sentences may repeat what a provider or a browser sent. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown fault';
  const said = 'error' in error ? [error.error] : [];
  const words = [...said, 'code' in error ? error.code : undefined, (error.cause as { readonly code?: unknown } | undefined)?.code]
    .filter((word): word is string => typeof word === 'string' && /^[A-Za-z][\w-]{1,60}$/.test(word));
  return words.length === 0 ? error.name : [...new Set(words)].join(' ');
}
