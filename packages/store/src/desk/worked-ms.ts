/**
 * How long this thread has worked, in milliseconds of processor time. Waiting for a disk, a lock or a processor is not work, so on a
 * machine that gives it little processor time a small piece of work is not mistaken for a large one.
 */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
