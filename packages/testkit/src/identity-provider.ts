/**
 * A real OpenID Connect provider (`oidc-provider`, certified) on a free port of this machine, to sign in with: people with the claims that a
 * test gives them, a page with one button instead of a password, and ways to be away or to lie.
 */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { unusedPort } from './unused-port.ts';

export const oidcClient = { id: 'metergate', secret: 'a-client-secret-of-the-testkit', roleClaim: 'groups' } as const;

export interface TestIdentityProvider {
  readonly issuer: string;
  /** Claims by subject: `email`, `email_verified`, `groups`. */
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  /** Who presses the button next; null: somebody who refuses. */
  next: string | null;
  /** Changes the token endpoint's answer. */
  tamper: ((answer: Record<string, unknown>) => Record<string, unknown>) | null;
  /** Every ID token that was issued. */
  readonly idTokens: string[];
  /** An ID token with these claims, signed with the provider's own key. */
  signed(claims: Readonly<Record<string, unknown>>): string;
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

export interface IdentityProviderOptions {
  readonly redirectUri: string;
  /** Where a browser may return to after signing out. Default: nowhere. */
  readonly afterSignOut?: string | undefined;
  /** Whether claims are in the ID token too, not only in userinfo. Default false, as the library has it. */
  readonly claimsInIdToken?: boolean;
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post';
}

/** The parts of the library that are used; it comes without types. */
interface Library {
  readonly default: new (issuer: string, configuration: object) => {
    callback(): RequestListener;
    use(middleware: (context: { path: string; body: unknown }, next: () => Promise<void>) => Promise<void>): void;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  };
}

export async function startIdentityProvider({
  redirectUri, afterSignOut, claimsInIdToken = false, authMethod = 'client_secret_basic',
}: IdentityProviderOptions): Promise<TestIdentityProvider> {
  let listener: RequestListener = () => {};
  let server: Server = createServer((request, response) => listener(request, response));
  const port = await unusedPort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const provider: TestIdentityProvider = {
    issuer, people: new Map(), next: null, tamper: null, idTokens: [],
    signed(claims) {
      const text = [{ alg: 'RS256', kid: 'testkit' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
      return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
    },
    async pause() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    async resume() {
      server = createServer((request, response) => listener(request, response)).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      if (server.listening) await provider.pause();
    },
  };
  const configuration = configurationOf(provider, { redirectUri, afterSignOut, claimsInIdToken, authMethod }, privateKey);
  const oidc = await quietly(async () => new ((await import('oidc-provider' as string) as Library).default)(issuer, configuration));
  oidc.use(async (context, next) => {
    await next();
    if (context.path !== '/token') return;
    const answer = context.body as Record<string, unknown>;
    if (typeof answer['id_token'] === 'string') provider.idTokens.push(answer['id_token']);
    context.body = provider.tamper === null ? answer : provider.tamper(answer);
  });
  const answer = oidc.callback();
  listener = (request, response) => {
    const step = /^\/interaction\/[^/]+(\/continue)?$/.exec(request.url ?? '');
    if (step === null) return void answer(request, response);
    if (step[1] === undefined) return askPerson(request, response);
    const result = provider.next === null ? { error: 'access_denied', error_description: 'not today' } : { login: { accountId: provider.next } };
    void oidc.interactionFinished(request, response, result);
  };
  return provider;
}

function configurationOf(
  provider: TestIdentityProvider, { redirectUri, afterSignOut, claimsInIdToken, authMethod }: IdentityProviderOptions,
  privateKey: KeyObject,
): object {
  return {
    clients: [{
      client_id: oidcClient.id, client_secret: oidcClient.secret, redirect_uris: [redirectUri], response_types: ['code'],
      grant_types: ['authorization_code'], token_endpoint_auth_method: authMethod,
      ...(afterSignOut === undefined ? {} : { post_logout_redirect_uris: [afterSignOut] }),
    }],
    clientAuthMethods: [authMethod],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    conformIdTokenClaims: !claimsInIdToken,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, interaction: { readonly uid: string }) => `/interaction/${interaction.uid}` },
    cookies: { keys: ['a key of the testkit'] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'testkit' }] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id, ...provider.people.get(id) }) }),
    loadExistingGrant: consentGiven,
  };
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: { readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<unknown> } };
  };
}

/** People are not asked for their consent. */
async function consentGiven({ oidc: { client, session, provider } }: GrantContext): Promise<unknown> {
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid email groups');
  await grant.save();
  return grant;
}

function askPerson({ url = '' }: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(`<!doctype html><html lang="en"><title>Identity provider</title>
<h1>Identity provider</h1><a href="${url}/continue">Continue</a></html>`);
}

/** The library warns of everything that is only for development; all of this is. */
async function quietly<Made>(make: () => Promise<Made>): Promise<Made> {
  const loud = { ...console };
  Object.assign(console, { warn: () => {}, info: () => {} });
  try {
    return await make();
  } finally {
    Object.assign(console, loud);
  }
}
