/**
 * Signing in by the identity provider, in a browser: `start` redirects to the provider, and the provider redirects to `callback`.
 * Rule 16; decision 75. The browser opens both directly, so an error is a page. No page shows anything that a browser or a provider sent.
 */
import { getCookie, setCookie } from 'hono/cookie';
import type { Context } from 'hono';
import { isStoreAway } from '@metergate/store/engine/fault.ts';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { begunLifeMs, ownPath } from '../auth/oidc/begun-sign-in.ts';
import type { OidcParts } from '../auth/oidc/oidc-parts.ts';
import { signInProvided } from '../use-cases/provided-sign-in.ts';
import { isRefusal } from '../use-cases/refusal.ts';
import { apiRoot } from './describe.ts';
import { keptIdToken } from './oidc-sign-out.ts';
import type { PlatformParts } from './parts.ts';
import { pageHeaders } from './pages/page-style.ts';
import { signInFaultPage, signInFaults, type SignInFault } from './pages/sign-in-fault-page.ts';

export const oidcStartPath = `${apiRoot}/auth/oidc/start`;
const oidcCallbackPath = `${apiRoot}/auth/oidc/callback`;

/** What a provider sends back; nothing else of the address is read. */
const answerNames = ['code', 'state', 'iss', 'error', 'session_state'] as const;

export function serveOidc(app: OpenAPIHono, parts: PlatformParts): void {
  const { oidc } = parts;
  if (oidc === null) return;
  app.get(oidcStartPath, (context) => start(context, parts, oidc));
  app.get(oidcCallbackPath, (context) => callback(context, parts, oidc).catch((fault: unknown) => {
    if (!isStoreAway(fault)) throw fault;
    parts.report(fault);
    return faultPage(context, 'unavailable');
  }));
}

async function start(context: Context, { publicUrl }: PlatformParts, { provider, begun }: OidcParts): Promise<Response> {
  const site = context.req.header('sec-fetch-site') ?? 'none';
  // Another site may link here, but cannot sign anybody in: the person must press the button.
  if (site !== 'same-origin' && site !== 'none') return context.redirect('/sign-in', 303);
  const found = await provider.begin(publicUrl + oidcCallbackPath);
  if ('fault' in found) return faultPage(context, found.fault);
  carry(context, publicUrl, begun.seal({ checks: found.checks, to: ownPath(context.req.query('to'), publicUrl) }));
  return context.redirect(found.location, 303);
}

async function callback(context: Context, parts: PlatformParts, { provider, begun, idTokens }: OidcParts): Promise<Response> {
  const { publicUrl } = parts;
  if (context.req.method !== 'GET') return context.body(null, 405, { allow: 'GET' });
  const carried = begun.open(getCookie(context, carrierName(publicUrl)) ?? '');
  carry(context, publicUrl, null);
  if (carried === null) return faultPage(context, 'not_begun');
  // Attempts are bound to their sign-in. Counting by address would let a stranger lock out everybody behind a proxy.
  if (!begun.answer(carried)) return faultPage(context, 'not_confirmed');
  const finished = await provider.finish(answered(context, publicUrl), carried.checks);
  if ('fault' in finished) return faultPage(context, finished.fault);
  const useCases = { store: parts.store, randomBytes: parts.randomBytes, nowMs: parts.clock() };
  const person = await signInProvided(useCases, provider.issuer, finished.claims);
  if (isRefusal(person)) return faultPage(context, faultNamed(person.refused.code));
  const vouched = { person: person.id, issuer: provider.issuer, organization: person.organization };
  for (const cookie of (await parts.sessions.begin(vouched, context.req.raw.headers)).getSetCookie()) {
    context.header('set-cookie', cookie, { append: true });
  }
  context.header('set-cookie', keptIdToken(publicUrl, idTokens.seal(finished.idToken), idTokens.lifeMs), { append: true });
  return context.redirect(carried.to, 303);
}

/** On the public address, which is registered with the provider, whatever host the request names. */
function answered(context: Context, publicUrl: string): URL {
  const url = new URL(publicUrl + oidcCallbackPath);
  for (const name of answerNames) for (const value of context.req.queries(name) ?? []) url.searchParams.append(name, value);
  return url;
}

/** The browser comes back from another site, the provider, and would not send a `Strict` cookie. */
function carry(context: Context, publicUrl: string, sealed: string | null): void {
  setCookie(context, carrierName(publicUrl), sealed ?? '', {
    httpOnly: true, sameSite: 'Lax', secure: publicUrl.startsWith('https:'), path: '/', maxAge: sealed === null ? 0 : begunLifeMs / 1_000,
  });
}

function carrierName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-metergate_sign_in' : 'metergate_sign_in';
}

function faultNamed(code: string): SignInFault {
  return Object.hasOwn(signInFaults, code) ? code as SignInFault : 'not_confirmed';
}

function faultPage(context: Context, fault: SignInFault): Response {
  return context.html(signInFaultPage(fault), signInFaults[fault].status, { ...pageHeaders });
}
