/**
 * Faults of the platform → lines for its operator. A store fault has a sentence that says what to do and contains no value. Any other
 * fault is logged by its name and place, without its message. While the store is away every request fails for the same cause, so its sentence
 * is repeated only after a minute.
 */
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { limitRepeats } from './limited-repeats.ts';

/** `what`: what the platform could not do, such as `answer a request`. */
export function reportFaults(clock: () => number, say: (line: string) => void): (what: string, fault: unknown) => void {
  const seldom = limitRepeats(clock, say);
  return (what, fault) => {
    if (fault instanceof StoreFault) seldom(`The platform could not ${what}. ${fault.message}`, fault.message);
    else say(`The platform could not ${what}: ${faultLine(fault)}`);
  };
}

function faultLine(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown fault';
  const at = /\n {4}at (.*)/.exec(fault.stack ?? '')?.[1] ?? 'unknown place';
  return `${fault.name}${'code' in fault ? ` ${String(fault.code)}` : ''} at ${at}`;
}
