/** A process that has names resolved: it writes the number of the process that does it after the first answer, and again at each SIGUSR2. */
import { readdirSync, readFileSync } from 'node:fs';
import { createNameResolver } from '../name-resolver.ts';

const resolver = createNameResolver({ monotonicMs: () => performance.now(), say: (sentence) => process.stderr.write(`${sentence}\n`) });

function tell(): void {
  resolver.resolve({ organization: 'one', hostname: 'localhost' }, (addresses) => {
    process.stdout.write(addresses === null ? '0\n' : `${childOf(process.pid)}\n`);
  });
}

function childOf(parent: number): string {
  const isChild = (pid: string): boolean => {
    try {
      return new RegExp(`^PPid:\\s+${parent}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).find(isChild) ?? '0';
}

process.on('SIGUSR2', tell);
setInterval(() => {}, 1_000);
tell();
