/**
 * An export whose file does not fit: no file gets its name, one sentence says what is missing, and with room the same command makes the file
 * that it would have made at once. What goes to standard output ends with exit code 1 if the shell's file cannot take all of it. The real command
 * in each format, under a real limit: a file system that is smaller than the file where this may be mounted, and a limit on the size of files
 * (`ulimit -f`), which takes a part of a write and then refuses, everywhere else.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../packages/cli/bin/metergate.mjs', import.meta.url));
const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
/** The other formats can be continued after any thousand rows: a tenth of the time has enough of them. */
const time = (format: string): string[] => ['--from', day(format === 'parquet' ? -95 : -9), '--to', day(2)];

const folder = mkdtempSync(join(tmpdir(), 'metergate-full-'));
const env = { PATH: process.env['PATH'], SVC_DATA_DIR: join(folder, 'data') };

function run(args: readonly string[], limitKib?: number): SpawnSyncReturns<string> {
  const words = [process.execPath, launcher, ...args];
  const [program, ...rest] = limitKib === undefined ? words : ['bash', '-c', `ulimit -f ${limitKib}; exec "$@"`, 'bash', ...words];
  return spawnSync(program!, rest, { cwd: folder, env, encoding: 'utf8' });
}

/** The same with its standard output in a file, as `>` makes it. */
function runInto(out: string, args: readonly string[], limitKib?: number): SpawnSyncReturns<string> {
  const limit = limitKib === undefined ? '' : `ulimit -f ${limitKib}; `;
  return spawnSync('bash', ['-c', `${limit}exec "$@" > "$OUT"`, 'bash', process.execPath, launcher, ...args],
    { cwd: folder, env: { ...env, OUT: out }, encoding: 'utf8' });
}

/** A file system of that size in memory; null if this process may not mount one. */
function smallDisk(at: string, bytes: number): string | null {
  mkdirSync(at, { recursive: true });
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', at]).status === 0 ? at : null;
}

const formats = ['jsonl', 'csv', 'parquet', 'focus'] as const;
const asked = (format: string, out: string): string[] => ['export', '--org', 'default', '--format', format, ...time(format), '--out', out];

function assertRefused(ended: SpawnSyncReturns<string>, out: string, why: RegExp): void {
  assert.equal(ended.status, 1, ended.stderr);
  assert.match(ended.stderr, why);
  assert.doesNotMatch(ended.stdout, /written to/);
  assert.equal(existsSync(out), false, 'a file that is not whole has no name');
}

describe('an export that does not fit', { timeout: 400_000, skip: process.platform === 'win32' && 'neither limit exists on Windows' }, () => {
  // Parquet can be continued after its first group of 20,000 rows.
  test('the store is filled', () => {
    assert.equal(run(['seed', '--organizations', '1', '--keys', '20', '--calls', '20500']).status, 0);
  });

  for (const format of formats) {
    test(`${format}: it is refused in a sentence, kept, and continued with room`, () => {
      const [whole, small] = [join(folder, `whole.${format}`), join(folder, `small.${format}`)];
      assert.equal(run(asked(format, whole)).status, 0);
      const { size, mode } = statSync(whole);
      assert.equal(mode & 0o777, 0o600, 'for its owner alone');

      assertRefused(run(asked(format, small), Math.floor((size - 1) / 1024)), small, /larger than a file may be here.*bytes are kept in .*\.part/s);
      const kept = statSync(`${small}.part`).size;
      assert.ok(kept > 0 && kept < size);
      assertRefused(run(asked(format, small), Math.floor((size - 1) / 1024)), small, /larger than a file may be here/);
      assert.equal(run(asked(format, small)).status, 0);
      assert.ok(readFileSync(small).equals(readFileSync(whole)), 'the same bytes');
      assert.deepEqual([existsSync(`${small}.part`), existsSync(`${small}.part.json`)], [false, false]);
    });

    test(`${format}: on a disk a little smaller than the file`, (t) => {
      const whole = join(folder, `whole.${format}`);
      const { size } = statSync(whole);
      const disk = smallDisk(join(folder, `disk-${format}`), size - 4_096);
      if (disk === null) return t.diagnostic('no file system can be mounted here: only the limit on the size of files was tried');
      try {
        const out = join(disk, `small.${format}`);
        assertRefused(run(asked(format, out)), out, /no space is left.*bytes are kept in .*\.part/s);
        execFileSync('mount', ['-o', `remount,size=${size * 2 + 65_536}`, disk]);
        assert.equal(run(asked(format, out)).status, 0);
        assert.ok(readFileSync(out).equals(readFileSync(whole)), 'the same bytes');
      } finally {
        execFileSync('umount', [disk]);
      }
    });
  }

  test('receipts: an earlier file stays as it was, and nothing is left beside it', () => {
    const out = join(folder, 'receipts.jsonl');
    const words = ['receipts', 'export', '--org', 'default', '--out', out];
    assert.equal(run(words).status, 0);
    const before = readFileSync(out);
    assert.equal(statSync(out).mode & 0o777, 0o600);
    const ended = run(words, Math.floor((before.length - 1) / 1024));
    assert.equal(ended.status, 1, ended.stderr);
    assert.match(ended.stderr, /larger than a file may be here/);
    assert.ok(readFileSync(out).equals(before));
    assert.equal(existsSync(`${out}.part`), false);
  });

  for (const [what, args] of [
    ['an export', ['export', '--org', 'default', '--format', 'jsonl', ...time('jsonl'), '--out', '-']],
    ['a list', ['calls', 'list', '--org', 'default', '--limit', '5000', '--json']],
  ] as const) {
    test(`${what} on standard output, which is a file: no exit code 0 for a part of it`, () => {
      const [whole, small] = [join(folder, 'whole.out'), join(folder, 'small.out')];
      assert.equal(runInto(whole, args).status, 0);
      const { size } = statSync(whole);
      const ended = runInto(small, args, Math.floor((size - 1) / 1024));
      assert.equal(ended.status, 1, ended.stderr);
      assert.match(ended.stderr, /Standard output cannot be written: it would be larger than a file may be here/);
      assert.ok(statSync(small).size < size);
    });
  }

  test.after(() => rmSync(folder, { recursive: true, force: true }));
});
