/**
 * Whether the cached and written tokens of a recorded call are parts of its input, or came on top of it. Its wire says so, but at an upstream the
 * dialect that its answer was read in: Anthropic's and Bedrock's own leave them out.
 */
import { upstreamNameOf } from '../call/named-upstream.ts';
import { wires, type Endpoint, type Wire } from '../wire/wire.ts';
import { plainOperationOf } from './operation.ts';
import { dialectOfOperation } from './upstream-dialects.ts';

/** Anthropic's messages, also on Vertex, and the results of their batches. */
const messages = /\/messages(?:\/batches\/[^/]+\/results)?$|\/publishers\/anthropic\/models\/[^/]+:(?:stream)?rawpredict$/;

/** What a record says of where its call went. */
interface RecordedPlace {
  readonly wire: Wire;
  readonly endpoint: Endpoint;
  readonly path: string;
}

export function cachedInInputOf({ wire, endpoint, path }: RecordedPlace): boolean {
  if (wires[wire].host !== null) return wires[wire].cachedInInput;
  const operation = plainOperationOf(path);
  const dialect = upstreamNameOf(path) === null ? null : dialectOfOperation(operation, null);
  return endpoint !== 'messages' && dialect !== 'bedrock-converse' && dialect !== 'bedrock-anthropic' && !messages.test(operation);
}
