/**
 * The faults of one thread, told to people: several of its tasks may fail of one cause and mend one after the other, so a
 * sentence is said once while anything fails, and that all works again when all does.
 */

/** What a thread says of each of its tasks: a fault when it begins to fail, null when it is over. */
export type FaultReport = { readonly message: string } | null;

/** `name`: what the thread does, as in `The store works again.` */
export function tellFaults(name: string, say: (sentence: string) => void): (report: FaultReport) => void {
  const told = new Set<string>();
  let failing = 0;
  return (report) => {
    if (report === null) {
      failing = Math.max(0, failing - 1);
      if (failing > 0 || told.size === 0) return;
      told.clear();
      say(`The ${name} works again.`);
      return;
    }
    failing += 1;
    if (told.has(report.message)) return;
    told.add(report.message);
    say(report.message);
  };
}
