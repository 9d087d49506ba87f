/** What the two ends of a node's calls to itself agree on (decision 0206). Apart from the gateway's end, so that the main thread need not load that. */

/** In which header an own call has its secret. */
export const ownCallHeader = 'x-svc-own-call';

export interface OwnCallSettings {
  readonly secret: string;
  /** The provider's origin. */
  readonly providerUrl: string;
}
