/** What a route of a method is, when there are cells. See `routes.ts`. */
import type { CellReach } from './reach.ts';

/**
 * `home`: the default cell. `first`: the cell of the organization that the first argument is. `field`: of the one that it names as
 * `organization`. `list`: of the one that the first of a list names. `within` N: of the one that argument N is, else as `known`. `known`: the
 * cell that knows the id. `stream`: as `field`, for a walk. `each`: nobody asks all cells at once for this; whoever works through them asks each
 * store by itself, so here it is the default cell's.
 */
export type CellRoute = 'home' | 'first' | 'field' | 'list' | 'known' | 'stream' | 'each' | { readonly within: number };

type Method = (...given: never[]) => unknown;
/** A route, or what the method does instead. */
type Routed<M> = CellRoute | (M extends (...given: infer Given) => infer Result ? (reach: CellReach, ...given: Given) => Result : never);
export type RoutesOf<R> = { readonly [M in keyof R as R[M] extends Method ? M : never]: Routed<R[M]> };
