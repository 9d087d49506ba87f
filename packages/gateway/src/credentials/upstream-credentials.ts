/**
 * The makers of credentials, one for each named upstream that needs one and each version of its declaration. They are kept apart from the settings,
 * which are replaced with every change of an organization: a token outlives that.
 */
import type { NamedUpstream } from '@metergate/core/account/settings.ts';
import { awsCredentialOf, serviceAccountOf, type ServiceAccount } from '@metergate/core/wire/made-credentials.ts';
import type { Clock } from '../clock/clock.ts';
import { AccountTokens, assertionOf } from './account-tokens.ts';
import { createAwsSigner } from './aws-signer.ts';
import type { CredentialMaker } from './made-credential.ts';
import type { Destination } from '../network/destination.ts';
import type { PoolOwner } from '../network/organization-pools.ts';
import { fetchToken, type FetchedToken, type NoToken } from './token-exchange.ts';

/** Those unused for longer go with the next new one. */
const idleMs = 900_000;
const makersMax = 4_096;

/** Where requests of an organization go that it chose itself. */
type UpstreamOf = (owner: PoolOwner & { readonly name: string }) => Destination;

interface KeptMaker {
  /** What it was made for, as the settings had it last. */
  upstream: NamedUpstream;
  readonly maker: CredentialMaker;
  usedAtMs: number;
}

export class UpstreamCredentials {
  readonly #upstreamOf: UpstreamOf;
  readonly #clock: Clock;
  readonly #kept = new Map<string, KeptMaker>();

  constructor(upstreamOf: UpstreamOf, clock: Clock) {
    this.#upstreamOf = upstreamOf;
    this.#clock = clock;
  }

  /** The maker of credentials for an upstream that needs one; null: what is stored for it cannot be read. */
  makerFor(organization: string, upstream: NamedUpstream): CredentialMaker | null {
    const place = `${organization}/${upstream.name}`;
    const nowMs = this.#clock.monotonicMs();
    const known = this.#kept.get(place);
    if (known !== undefined && (known.upstream === upstream || isSame(known.upstream, upstream))) {
      known.upstream = upstream;
      known.usedAtMs = nowMs;
      return known.maker;
    }
    const maker = this.#create(organization, upstream);
    if (maker === null) return null;
    for (const [each, { usedAtMs }] of this.#kept) if (nowMs - usedAtMs > idleMs || this.#kept.size >= makersMax) this.#kept.delete(each);
    this.#kept.set(place, { upstream, maker, usedAtMs: nowMs });
    return maker;
  }

  #create(organization: string, { name, url, version, auth, credential }: NamedUpstream): CredentialMaker | null {
    if (auth === 'aws-sigv4') {
      const aws = awsCredentialOf(credential ?? '', url);
      return 'problem' in aws ? null : createAwsSigner(aws, new URL(url).host, () => this.#clock.wallMs());
    }
    const account = serviceAccountOf(credential ?? '');
    const endpoint = 'problem' in account ? null : URL.parse(account.tokenUri);
    if ('problem' in account || endpoint === null) return null;
    return new AccountTokens({
      monotonicMs: () => this.#clock.monotonicMs(),
      fetch: (done) => {
        // A separate pool, whose name no upstream can have: it is judged and dialled as the upstream is.
        const destination = this.#upstreamOf({ organization, name: `${name}/token`, version, url: account.tokenUri });
        void this.#exchange(account, { destination, target: endpoint.pathname + endpoint.search }, done);
      },
    });
  }

  /** Never rejects. */
  async #exchange(
    account: ServiceAccount, { destination, target }: { readonly destination: Destination; readonly target: string },
    done: (result: FetchedToken | NoToken) => void,
  ): Promise<void> {
    try {
      fetchToken(destination, { target, assertion: await assertionOf(account, this.#clock.wallMs()) }, done);
    } catch {
      done({ why: 'was not asked, because the private key cannot be used' });
    }
  }
}

/** A store that was put back to an earlier moment gives a version a second time, to another declaration. */
function isSame(one: NamedUpstream, other: NamedUpstream): boolean {
  return one.version === other.version && one.auth === other.auth && one.url === other.url && one.credential === other.credential;
}
