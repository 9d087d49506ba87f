/**
 * A request → who asks: the management token in `Authorization: Bearer`, else the session's cookie. Rule 16.
 * With a wrong bearer token the cookie is not tried. The role is looked up on each request, so that removing it takes effect at once.
 */
import type { Actor } from '../use-cases/actor.ts';
import type { PlatformParts } from './parts.ts';
import { sha256Of } from '../use-cases/sha256.ts';

/** Null: unknown. A session's renewed cookie goes to `answerHeaders`. */
export async function actorOf(request: Request, parts: PlatformParts, answerHeaders: Headers): Promise<Actor | null> {
  const authorization = request.headers.get('authorization');
  return authorization === null ? personOf(request, parts, answerHeaders) : tokenOf(authorization, parts);
}

async function tokenOf(authorization: string, { store, clock }: PlatformParts): Promise<Actor | null> {
  const token = /^Bearer +(svc_mgmt_[0-9A-Za-z]{43})$/i.exec(authorization)?.[1];
  if (token === undefined) return null;
  const found = await store.managementTokens.findByHash(sha256Of(token), clock());
  if (found === null) return null;
  const { organization, role, id, name, prefix, madeBy, makerRole } = found;
  const maker = madeBy === null || makerRole === null ? null : { person: madeBy, role: makerRole };
  return { organization, role, kind: 'token', id, name: name ?? prefix, session: null, maker };
}

async function personOf(request: Request, { store, sessions }: PlatformParts, answerHeaders: Headers): Promise<Actor | null> {
  if (!request.headers.has('cookie')) return null;
  const found = await sessions.find(request.headers);
  if (found === null) return null;
  const memberships = await store.members.of(found.person);
  // Never an organization other than the session's: a change meant for one would reach another.
  const membership = found.organization === null ? memberships[0] : memberships.find(({ organization }) => organization === found.organization);
  if (membership === undefined) return null;
  for (const cookie of found.answerHeaders.getSetCookie()) answerHeaders.append('set-cookie', cookie);
  const { organization, role, email } = membership;
  return { organization, role, kind: 'person', id: found.person, name: email, session: found.session, maker: null };
}
