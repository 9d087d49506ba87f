/** A full disk, and syncs that fail: replaces `node:fs` for the journal while a test asks for it. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

export interface FailingDisk {
  /** No file may grow beyond that many bytes; the part below is written. Infinity: no bound. */
  cap: number;
  /** The error of a write beyond the cap, or of every sync while `syncsFail`. */
  code: string;
  syncsFail: boolean;
  /** Every write of anything but zeros does all that it should, and then says that it failed, as a network's file system may. */
  writesLie: boolean;
  /** What was done, in order: `write 24`, `sync`. */
  readonly done: string[];
}

export function failingDisk(t: TestContext): FailingDisk {
  const disk: FailingDisk = { cap: Infinity, code: 'ENOSPC', syncsFail: false, writesLie: false, done: [] };
  const { writeSync, fdatasyncSync, fsyncSync } = fs;
  const fault = (call: string): Error => Object.assign(new Error(`${disk.code}: as the test wants it, ${call}`), { code: disk.code });
  const write = (...given: [number, Buffer, number, number, number | null]): number => {
    const [descriptor, bytes, offset, length, position] = given;
    if (typeof position !== 'number') return writeSync(...given);
    const room = Math.min(length, disk.cap - position);
    if (room <= 0) throw fault('write');
    disk.done.push(`write ${room}`);
    const taken = writeSync(descriptor, bytes, offset, room, position);
    if (disk.writesLie && bytes[offset] !== 0) throw fault('write');
    return taken;
  };
  const sync = (real: (descriptor: number) => void) => (descriptor: number): void => {
    if (disk.syncsFail) throw fault('fsync');
    disk.done.push('sync');
    real(descriptor);
  };
  put({ writeSync: write, fdatasyncSync: sync(fdatasyncSync), fsyncSync: sync(fsyncSync) });
  t.after(() => put({ writeSync, fdatasyncSync, fsyncSync }));
  return disk;
}

function put(functions: object): void {
  Object.assign(fs, functions);
  syncBuiltinESMExports();
}
