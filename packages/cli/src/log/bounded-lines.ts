/**
 * Lines for a stream whose reader may stop reading: a collector that hangs, a terminal that was paused. Node holds what a pipe does not take, without
 * an end. Here it is held up to a bound. Above it lines are dropped, and their number is written once the reader goes on. Nothing ever waits.
 */
import { createLog } from './log.ts';

/** Some ten thousand lines. */
const heldBytesMax = 4 * 1024 * 1024;

/** Writes text that ends a line. `nowMs`: wall time, milliseconds since the epoch. */
export function boundedLines(stream: Pick<NodeJS.WriteStream, 'write' | 'once' | 'writableLength'>, nowMs: () => number): (text: string) => void {
  let dropped = 0;
  let format: 'json' | 'text' = 'text';
  const goOn = (): void => {
    const lines = dropped === 1 ? '1 line' : `${dropped} lines`;
    dropped = 0;
    createLog({ format, level: 'warn', nowMs, write: (line) => stream.write(`${line}\n`) })(
      'warn', `${lines} of the log were dropped, because nothing read them.`);
  };
  return (text) => {
    if (dropped === 0 && stream.writableLength <= heldBytesMax) return void stream.write(text);
    if (dropped === 0) {
      format = text.startsWith('{') ? 'json' : 'text';
      stream.once('drain', goOn);
    }
    dropped += 1;
  };
}
