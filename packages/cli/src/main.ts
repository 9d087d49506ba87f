/** `metergate`: hands the process's arguments, streams and clock to the program, and sets the exit code. Nothing else is here. */
import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { runProgram } from './command-line/run.ts';
import { standardOutput } from './command-line/standard-output.ts';
import { boundedLines } from './log/bounded-lines.ts';
import { program } from './program.ts';

endWithLauncher();
process.stdout.on('error', stdoutFailed);
process.stderr.on('error', () => {});

const { exitCode, ended } = await runProgram(program, process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  ...standardOutput(),
  stderr: boundedLines(process.stderr, Date.now),
  columns: process.stdout.isTTY === true ? process.stdout.columns : null,
  isTerminal: process.stderr.isTTY === true,
  nowMs: Date.now,
  randomBytes: (n) => randomBytes(n),
  operator: operatorName(),
});
process.exitCode = exitCode;
if (ended) process.exit();

/**
 * A reader that has read enough (`| head`) is not a fault. A server goes on: the ready line is all it prints, and calls do not need it.
 */
function stdoutFailed({ code }: NodeJS.ErrnoException): void {
  if (['start', 'gateway', 'platform'].includes(process.argv[2] ?? '')) return;
  if (code === 'EPIPE') process.exit(process.exitCode ?? 0);
  process.stderr.write(`metergate: Standard output cannot be written (${code ?? 'unknown reason'}).\n`);
  process.exit(1);
}

/** Null in a container that has no name for its user. */
function operatorName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/** If a launcher of ours started this process and was killed without notice, this process ends the same way. */
function endWithLauncher(): void {
  const launched = process.env['METERGATE_LAUNCHED'] === '1' && process.channel !== undefined;
  delete process.env['METERGATE_LAUNCHED'];
  if (!launched) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
}
