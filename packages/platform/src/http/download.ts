/**
 * A use case's export → a file as the answer, streamed with backpressure. A fault while sending cuts the connection, so that a partial file
 * never looks complete.
 */
import type { CallExport } from '../use-cases/exports.ts';

/** What an operation with `downloads` returns instead of JSON. */
export interface Download {
  readonly download: CallExport;
}

export function isDownload(value: unknown): value is Download {
  return typeof value === 'object' && value !== null && 'download' in value;
}

export function downloadResponse({ download }: Download, headers: Headers, report: (fault: unknown) => void): Response {
  const pieces = download.pieces[Symbol.asyncIterator]();
  let left = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        for (;;) {
          const { done, value } = await pieces.next();
          if (left) return;
          if (done === true) return controller.close();
          if (value.bytes.length > 0) return controller.enqueue(value.bytes);
        }
      } catch (fault) {
        if (left) return;
        report(fault);
        controller.error(fault);
      }
    },
    async cancel() {
      left = true;
      await pieces.return?.();
    },
  }, { highWaterMark: 0 });
  headers.set('content-type', download.contentType);
  headers.set('content-disposition', `attachment; filename="${download.fileName}"`);
  headers.set('cache-control', 'no-store');
  return new Response(body, { headers });
}
