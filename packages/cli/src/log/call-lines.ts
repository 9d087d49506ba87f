/**
 * Events of a gateway node's calls → lines of the log.
 */
import type { LogLine } from '@metergate/gateway/log/call-log.ts';
import type { Log } from './log.ts';

export function logLines(log: Log, lines: readonly LogLine[]): void {
  for (const line of lines) log('info', line.event === 'refusal' ? 'A request was refused.' : 'A call ended.', { ...line });
}
