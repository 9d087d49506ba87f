/**
 * The one place that decides which client is behind a destination: our own, if this Node has the parser that it uses; else undici, with which ours is
 * compared in tests. Decision 0041.
 */
import type { DestinationOptions } from './destination-options.ts';
import type { Destination } from './destination.ts';
import { hasResponseParser } from '../http-parser/response-parser.ts';
import { createSocketDestination } from './socket-destination.ts';

/** Throws a TypeError if `origin` is not a valid origin. undici is loaded only if it is needed: it takes 13 MB and a tenth of a second. */
export const createDestination: (options: DestinationOptions) => Destination = hasResponseParser
  ? createSocketDestination
  : (await import('./undici-destination.ts')).createUndiciDestination;
