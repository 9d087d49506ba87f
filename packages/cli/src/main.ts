/**
 * `metergate`: the process's own words, streams and clock → the program. Commands are loaded when they are asked for, so that
 * a short one does not wait for the servers' code.
 */
import { randomBytes } from 'node:crypto';
import manifest from '../package.json' with { type: 'json' };
import { runProgram, type Program } from './command-line/run.ts';

const program: Program = {
  name: 'metergate',
  description: 'meters and forwards calls to language model providers.',
  version: manifest.version,
  commands: {
    start: async () => (await import('./commands/start.ts')).start,
    org: async () => (await import('./commands/org.ts')).org,
    key: async () => (await import('./commands/key.ts')).key,
    provider: async () => (await import('./commands/provider.ts')).provider,
    upstream: async () => (await import('./commands/upstream.ts')).upstream,
    calls: async () => (await import('./commands/calls.ts')).calls,
    prices: async () => (await import('./commands/prices.ts')).prices,
    doctor: async () => (await import('./commands/doctor.ts')).doctor,
  },
};

endWithLauncher();
// A reader that has read enough (`| head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.stderr.on('error', () => {});

const { exitCode, ended } = await runProgram(program, process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  nowMs: Date.now,
  randomBytes: (n) => randomBytes(n),
});
process.exitCode = exitCode;
if (ended) process.exit();

/** Where a launcher of ours started this process and is gone without a word, killed that is, this process ends the same way. */
function endWithLauncher(): void {
  const launched = process.env['METERGATE_LAUNCHED'] === '1' && process.channel !== undefined;
  delete process.env['METERGATE_LAUNCHED'];
  if (!launched) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
}
