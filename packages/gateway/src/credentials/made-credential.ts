/**
 * A credential that is made for a call: a signature of the whole request, or a token that is fetched and kept fresh. Decision 157. What was stored
 * never goes out itself.
 */
import type { CredentialField, HeaderPairs } from '@metergate/core/call/header-pairs.ts';
import type { CredentialHeader } from '@metergate/core/wire/wire.ts';

/** What goes out of one call, as far as a credential depends on it. */
export interface RequestToCredit {
  readonly method: string;
  /** Path and query at the destination, raw. */
  readonly target: string;
  /** As the caller sent them. */
  readonly rawHeaders: HeaderPairs;
  /** The whole body; null: there is none. `streamed`: it is not here as a whole. */
  readonly body: Uint8Array | 'streamed' | null;
}

/** What a call carries in place of whatever its caller put into these fields. */
export interface MadeCredential {
  readonly header: CredentialHeader;
  readonly beside: readonly CredentialField[];
}

/** Why there is none. `token`: what happened where it is fetched, with nothing of a secret in it. */
type UnmadeCredential =
  | { readonly kind: 'upstream_token_unavailable'; readonly token: string }
  | { readonly kind: 'upstream_body_unsigned' };

export type Made = MadeCredential | UnmadeCredential;

/** The one who asked. One of these runs, once. */
export interface MadeFor {
  /** In the same turn if all is at hand. */
  readonly made: (made: Made) => void;
  /** Our own code threw. */
  readonly broke: (cause: unknown) => void;
}

/** Of one declaration. */
export interface CredentialMaker {
  /** The body must be here as a whole. */
  readonly needsBody: boolean;
  make(request: RequestToCredit, by: MadeFor): void;
}
