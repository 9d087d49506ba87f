/**
 * Sessions on better-auth: one signed cookie, sessions kept in our store. Rule 16. Who a person is, by a password or by an identity
 * provider, is decided before. Its HTTP handler is not mounted: only the functions below are used, so none of its routes exist.
 * The secret that signs cookies is derived from the master key and stored nowhere.
 */
import { hkdfSync } from 'node:crypto';
import { betterAuth } from 'better-auth/minimal';
import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import type { Store } from '@metergate/store/store.ts';
import { z } from 'zod';
import { accountAdapter } from './account-adapter.ts';
import { notingFaults, unlessStoreFailed } from './noted-faults.ts';
import { sessionCookieName } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';

const daySeconds = 86_400;
/** How long a session lasts after its last use. */
const idleSeconds = 7 * daySeconds;
/** A session ends after this, however much it is used. */
const absoluteMs = 30 * daySeconds * 1_000;

export interface SessionsOptions {
  readonly store: Store;
  readonly masterKey: Uint8Array;
  /** `https`: cookies are Secure. */
  readonly publicUrl: string;
  readonly clock: () => number;
  /** The longest life of a session that an identity provider vouched for; others last 30 days. */
  readonly providedLifeMs: number;
}

export function createSessions(options: SessionsOptions): Sessions {
  const auth = libraryFor(options);
  const { store } = options;

  /** A session belongs to one organization from its beginning. If its person leaves that one, it never becomes a session of another. */
  async function bind(begun: Headers, organization: string | null): Promise<void> {
    const cookie = begun.getSetCookie().map((line) => line.split(';', 1)[0]!).join('; ');
    const found = await auth.api.getSession({ headers: new Headers({ cookie }) });
    if (found !== null && organization !== null) await store.people.chooseOrganization(found.session.id, organization);
  }

  const sessions: Sessions = {
    async begin({ person, issuer, organization }, request) {
      const { headers } = await auth.api.beginSession({ body: { person, issuer }, headers: withoutCookie(request), returnHeaders: true });
      await bind(headers, organization);
      return cookiesOf(headers);
    },
    async find(request) {
      const { response, headers } = await auth.api.getSession({ headers: cookieAlone(request), returnHeaders: true });
      if (response === null) return null;
      const lifeMs = response.session.providedBy === null ? absoluteMs : options.providedLifeMs;
      if (options.clock() - response.session.createdAt.getTime() >= lifeMs) return null;
      const { session, user } = response;
      return {
        session: session.id, person: user.id, providedBy: session.providedBy ?? null, organization: session.organization ?? null,
        answerHeaders: cookiesOf(headers),
      };
    },
    async end(request) {
      const { headers } = await auth.api.signOut({ headers: cookieAlone(request), returnHeaders: true });
      return cookiesOf(headers);
    },
  };
  return {
    begin: (who, request) => unlessStoreFailed(() => sessions.begin(who, request)),
    find: (request) => unlessStoreFailed(() => sessions.find(request)),
    end: (request) => unlessStoreFailed(() => sessions.end(request)),
  };
}

/** A session and its cookie for someone who has proved who they are. No route leads to it. */
const shownSessions = {
  id: 'shown-sessions',
  endpoints: {
    beginSession: createAuthEndpoint('/shown-session', {
      method: 'POST', body: z.object({ person: z.string(), issuer: z.string().nullable() }), metadata: { SERVER_ONLY: true },
    }, async (context) => {
      const { internalAdapter } = context.context;
      const user = await internalAdapter.findUserById(context.body.person);
      if (user === null) throw new Error('a session is begun for nobody');
      const session = await internalAdapter.createSession(user.id, false, { providedBy: context.body.issuer }, true);
      await setSessionCookie(context, { session, user });
      return { done: true };
    }),
  },
};

function libraryFor({ store, masterKey, publicUrl }: SessionsOptions) {
  const secure = publicUrl.startsWith('https:');
  return betterAuth({
    appName: 'Metergate',
    baseURL: publicUrl,
    basePath: '/platform/v1/auth',
    secret: Buffer.from(hkdfSync('sha256', masterKey, new Uint8Array(0), 'metergate/v1/session-signing', 32)).toString('base64url'),
    database: accountAdapter(notingFaults(store.accounts)),
    plugins: [shownSessions],
    telemetry: { enabled: false },
    logger: { disabled: true },
    rateLimit: { enabled: false },
    emailAndPassword: { enabled: false },
    session: {
      expiresIn: idleSeconds, updateAge: 3_600, freshAge: 0, cookieCache: { enabled: false },
      additionalFields: {
        organization: { type: 'string', required: false, input: false }, providedBy: { type: 'string', required: false, input: false },
      },
    },
    advanced: {
      useSecureCookies: false,
      ipAddress: { disableIpTracking: true },
      cookies: {
        session_token: { name: sessionCookieName(publicUrl), attributes: { httpOnly: true, sameSite: 'strict', secure, path: '/' } },
      },
    },
  });
}

/** What the library needs of a request, without headers that could fail its checks of browser requests. */
function cookieAlone(request: Headers): Headers {
  const cookie = request.get('cookie');
  const headers = withoutCookie(request);
  if (cookie !== null) headers.set('cookie', cookie);
  return headers;
}

function withoutCookie(request: Headers): Headers {
  const agent = request.get('user-agent');
  return new Headers(agent === null ? {} : { 'user-agent': agent.slice(0, 256) });
}

function cookiesOf(headers: Headers): Headers {
  const cookies = new Headers();
  for (const cookie of headers.getSetCookie()) cookies.append('set-cookie', cookie);
  return cookies;
}
