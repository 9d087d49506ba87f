/** Which parts of Node that are not public this gateway does without, and what that costs. Decisions 0041, 0042 and 0095. */
import { findCollector } from '@metergate/store/threads/collector.ts';
import { mayUseInternals } from '@metergate/store/threads/node-internals.ts';
import { sharesInput } from '../callers/shared-input.ts';
import { hasRequestParser } from '../http-parser/request-parser.ts';
import { hasResponseParser } from '../http-parser/response-parser.ts';

/** A part, and one sentence that says what it costs that it is not used. */
interface InternalPart {
  readonly isUsed: () => boolean;
  readonly without: string;
}

const parts: readonly InternalPart[] = [
  { isUsed: () => hasRequestParser, without: 'Callers\' requests are read by Node\'s server: a call takes about 1.5 times the processor time.' },
  {
    isUsed: () => hasResponseParser,
    without: 'Calls are forwarded by undici: a call takes about 1.4 times the processor time, and no WebSocket is accepted.',
  },
  { isUsed: sharesInput, without: 'Callers\' bytes come in buffers of their own: a call takes a little more processor time.' },
  { isUsed: () => findCollector() !== null, without: 'Memory is collected only when Node does so: an idle node holds more of it.' },
];

/** A sentence for each part that is not used; empty: all are. They must be run in the thread that asks. */
export function unusedInternals(): string[] {
  const why = mayUseInternals ? `Node ${process.versions.node} has a part that is not known here.` : 'METERGATE_PUBLIC_NODE is set.';
  return parts.filter(({ isUsed }) => !isUsed()).map(({ without }) => `${why} ${without}`);
}
