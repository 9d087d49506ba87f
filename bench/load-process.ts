/**
 * The load generator and mock provider of a benchmark (bench/load.ts) as a separate process, on the second core if the machine can pin
 * processes. Takes one order after the other.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadOrder, LoadResult } from './load.ts';
import type { MockLog } from './mock-provider.ts';
import { pinned } from './subjects.ts';

export interface Load {
  /** Base URL of the mock provider. */
  readonly mock: string;
  ask(order: LoadOrder): Promise<LoadResult>;
  log(): Promise<MockLog>;
  stop(): void;
}

export async function startLoad(): Promise<Load> {
  const [program, args] = pinned(1, process.execPath, [fileURLToPath(new URL('load.ts', import.meta.url))]);
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [first] = (await once(child, 'message')) as [{ mock: string }];
  return {
    mock: first.mock,
    ask: async (order) => {
      child.send(order);
      const [{ result }] = (await once(child, 'message')) as [{ result: LoadResult }];
      return result;
    },
    log: async () => {
      child.send({ order: 'log' } satisfies LoadOrder);
      const [{ log }] = (await once(child, 'message')) as [{ log: MockLog }];
      return log;
    },
    stop: () => child.disconnect(),
  };
}
