/**
 * Follows a bare `Response` that the host took from the SDK, where the host reads it by `json` or `text`; read in another way, the call
 * shows what its head tells, and its figures stay zero.
 */
import { followAnswer } from './follow-answer.ts';
import { override } from './in-place.ts';
import { overhear } from './follow-stream.ts';
import { quietly } from './look.ts';
import type { Call } from './call.ts';

/** The longest body that is parsed a second time, in UTF-16 units. */
const textMax = 1_048_576;

/** Follows the response, unless the SDK itself reads it. */
export function followResponse(response: unknown, call: Call): void {
  for (const name of ['json', 'text', 'arrayBuffer', 'bytes', 'blob', 'formData', 'buffer']) {
    override(response, name, (run) => (call.parsed ? run() : overhear(run(), (body) => {
      if (name === 'json') followAnswer(body, call);
      if (name === 'text') readText(String(body), call);
      call.end('done');
    }, call.fail)));
  }
}

/** One JSON document, or the data lines of server-sent events. */
function readText(text: string, call: Call): void {
  if (text.length > textMax) return;
  const lines = /^\s*[[{]/.test(text) ? [text] : text.split('\n').map((line) => line.replace(/^data:/, ''));
  for (const line of lines) quietly(() => call.value(JSON.parse(line)));
}
