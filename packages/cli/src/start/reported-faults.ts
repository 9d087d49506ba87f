/**
 * Reports the faults of one thread to people. Several tasks may fail for one cause and recover one after the other. So each sentence is reported
 * once while anything fails, and recovery is reported when everything works again.
 */

/** What a thread reports for each of its tasks: a fault when it begins to fail, null when it works again. */
export type FaultReport = { readonly message: string } | null;

/** `name`: what the thread does, as in `The store works again.` */
export function reportThreadFaults(name: string, say: (sentence: string) => void): (report: FaultReport) => void {
  const reported = new Set<string>();
  let failing = 0;
  return (report) => {
    if (report === null) {
      failing = Math.max(0, failing - 1);
      if (failing > 0 || reported.size === 0) return;
      reported.clear();
      say(`The ${name} works again.`);
      return;
    }
    failing += 1;
    if (reported.has(report.message)) return;
    reported.add(report.message);
    say(report.message);
  };
}
