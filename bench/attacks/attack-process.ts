/** The processes in which the other organization and its provider run. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { standFor } from './other-machines.ts';

export interface AttackProcess {
  readonly child: ChildProcess;
  /** What it printed once it had begun. */
  readonly line: string;
}

const file = fileURLToPath(new URL('../fairness-attack.ts', import.meta.url));

/** Starts a process of the other organization and waits for its first line. @throws Error if it ends without one. */
export async function beginAttack(...args: readonly string[]): Promise<AttackProcess> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const ended = once(child, 'exit').then(() => { throw new Error(`the attack ${args[0]} ended before it began`); });
  const [chunk] = await Promise.race([once(child.stdout!, 'data'), ended]) as [Buffer];
  ended.catch(() => {});
  // Not before: in time that nobody else wants, a process may take long to begin.
  standFor('attackers', child.pid!);
  return { child, line: chunk.toString().trim() };
}

export async function endAttack({ child }: AttackProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.stdin!.end();
  await once(child, 'exit');
}
