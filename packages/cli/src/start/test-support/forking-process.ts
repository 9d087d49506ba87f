/** A process that begins another, says its number, and ends when it is told to. With `hang`, the other computes for ever. */
import { forkedThread } from '../forked-thread.ts';

const forked = forkedThread(new URL('./echo-process.ts', import.meta.url).href, {});
forked.once('message', () => {
  if (process.argv[2] === 'hang') forked.postMessage({ hang: true });
  process.send!(forked.threadId);
});
process.once('message', () => process.exit(0));
