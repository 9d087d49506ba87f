/**
 * How long this thread has worked, in milliseconds of processor time. What waits for a disk, a lock or a processor has not worked, so on a
 * machine that gives it little of a processor a piece of work is not taken for a large one.
 */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
