/** A process that leaves the last processor to others, begins a thread behind that, and says so. */
import { Worker } from 'node:worker_threads';
import { leaveLastProcessor } from '../threads/processors.ts';

leaveLastProcessor();
const worker = new Worker('setInterval(() => {}, 1e6)', { eval: true });
worker.once('online', () => process.send!('ready'));
process.once('disconnect', () => process.exit());
