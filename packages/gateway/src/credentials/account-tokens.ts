/**
 * Tokens of a Google service account (RFC 7523). One is fetched for all calls that wait for it, and the next one ahead of its end, while calls go
 * on with the one before. A call that finds a fresh one waits for nothing.
 */
import type { ServiceAccount } from '@metergate/core/wire/made-credentials.ts';
import type { CredentialMaker, Made, MadeCredential, MadeFor } from './made-credential.ts';
import type { FetchedToken, NoToken } from './token-exchange.ts';

/** How long before its end the next one is fetched, and how long before it a token is not used any more. Of short ones, a part of their life. */
const aheadMs = 300_000;
const unusedMs = 30_000;
/** For how long no fetch is tried after one that failed. Whoever needs a token meanwhile gets the same failure. */
const pauseMs = 1_000;

interface TokenSource {
  readonly monotonicMs: () => number;
  /** Calls back once. */
  readonly fetch: (done: (result: FetchedToken | NoToken) => void) => void;
}

interface HeldToken {
  readonly made: MadeCredential;
  readonly aheadAtMs: number;
  readonly endsAtMs: number;
}

export class AccountTokens implements CredentialMaker {
  readonly needsBody = false;
  readonly #source: TokenSource;
  #held: HeldToken | null = null;
  #failed: { readonly made: Made; readonly untilMs: number } | null = null;
  #waiting: ((made: Made) => void)[] = [];
  #fetching = false;

  constructor(source: TokenSource) {
    this.#source = source;
  }

  make(_request: unknown, { made: done }: Pick<MadeFor, 'made'>): void {
    const nowMs = this.#source.monotonicMs();
    const held = this.#held;
    if (held !== null && nowMs < held.endsAtMs) {
      if (nowMs >= held.aheadAtMs && !this.#pauses(nowMs)) this.#fetch();
      return done(held.made);
    }
    if (this.#pauses(nowMs)) return done(this.#failed!.made);
    this.#waiting.push(done);
    this.#fetch();
  }

  #pauses(nowMs: number): boolean {
    return this.#failed !== null && nowMs < this.#failed.untilMs;
  }

  #fetch(): void {
    if (this.#fetching) return;
    this.#fetching = true;
    this.#source.fetch((result) => {
      this.#fetching = false;
      const made = this.#take(result);
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const done of waiting) done(made);
    });
  }

  #take(result: FetchedToken | NoToken): Made {
    const nowMs = this.#source.monotonicMs();
    if ('why' in result) {
      const made = { kind: 'upstream_token_unavailable', token: result.why } as const;
      this.#failed = { made, untilMs: nowMs + pauseMs };
      return made;
    }
    const { token, lifetimeMs } = result;
    const made = { header: { name: 'authorization', value: `Bearer ${token}` }, beside: [] };
    const endsAtMs = nowMs + lifetimeMs;
    this.#failed = null;
    this.#held = {
      made, aheadAtMs: endsAtMs - Math.min(aheadMs, lifetimeMs / 4), endsAtMs: endsAtMs - Math.min(unusedMs, lifetimeMs / 10),
    };
    return made;
  }
}

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const assertionSeconds = 3_600;

/** The assertion that is exchanged for a token. Rejects if the key cannot be used. */
export async function assertionOf({ clientEmail, privateKey, privateKeyId, tokenUri }: ServiceAccount, nowMs: number): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose');
  const nowSeconds = Math.floor(nowMs / 1_000);
  return new SignJWT({ scope }).setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...privateKeyId === null ? {} : { kid: privateKeyId } })
    .setIssuer(clientEmail).setSubject(clientEmail).setAudience(tokenUri).setIssuedAt(nowSeconds).setExpirationTime(nowSeconds + assertionSeconds)
    .sign(await importPKCS8(privateKey, 'RS256'));
}
