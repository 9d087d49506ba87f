/** The life of a process that another one of the product began, as a part of itself. */

/** At once, also where threads still work: nothing under way may outlive the parent. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

/**
 * From now on this process ends with the parent, however that ends, and leaves signals to it: a terminal or a service manager signals the whole
 * group, and it is the parent that says when to stop. Returns what lets this process outlive the channel to the parent, to end in order.
 */
export function endWithParent(): () => void {
  process.on('disconnect', endNow);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  return () => void process.off('disconnect', endNow);
}
