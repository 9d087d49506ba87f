/** What the two ends of a node's calls to itself agree on (decision 0206): the main thread need not load the gateway's end for it. */

/** In which header an own call has its secret. */
export const ownCallHeader = 'x-svc-own-call';

export interface OwnCallSettings {
  readonly secret: string;
  /** The provider's origin. */
  readonly providerUrl: string;
}
