/** A body that is sent as it comes. */
import { Readable } from 'node:stream';
import type { StreamedRequest } from '../callers/caller-exchange.ts';
import type { OutboundBody } from './admitted-call.ts';
import { createModelWatch, type ModelWatch } from './requested-model.ts';

interface StreamStart {
  readonly first: readonly Buffer[];
  readonly firstBytes: number;
  readonly contentLength: number | null;
  readonly overBound: boolean;
  readonly release: () => void;
}

/** The rest of a request as a stream, counted; what was already read goes first. Dropping it reads the rest away. */
export function streamedBody(request: StreamedRequest, start: StreamStart): OutboundBody {
  let received = start.firstBytes;
  let model: string | null = null;
  let watch: ModelWatch | null = createModelWatch(request.rawHeaders);
  for (const chunk of start.first) watch.push(chunk);
  const count = (chunk: Buffer): void => {
    received += chunk.length;
    watch?.push(chunk);
  };
  if ('passesChunks' in request) request.passesChunks = true;
  request.on('data', count);
  request.pause();
  const content = start.first.length === 0 ? request : Readable.from(firstThenRest(start.first, request), { objectMode: false });
  return {
    content, contentLength: start.contentLength, asksLater: 'unread', hidesUsage: 'unread', modelsAsked: 'unread',
    overBound: start.overBound,
    requestedModel: () => watch?.model() ?? model,
    receivedBytes: () => received,
    written: null,
    release: start.release,
    drop() {
      model = watch?.model() ?? model;
      watch?.release();
      watch = null;
      // Nobody else looks at what is read away from here on, so its memory may be used again.
      request.off('data', count);
      if (content !== request) content.destroy();
      request.resume();
    },
  };
}

async function* firstThenRest(first: readonly Buffer[], request: StreamedRequest): AsyncGenerator<Buffer> {
  yield* first;
  yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}
