/** A file in pieces that the next try continues: marked content stays, the rest is cut off, and another identity starts over. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CommandFault } from './command.ts';
import { openResumable } from './resumable-file.ts';
import { writeWhole } from './whole-file.ts';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'metergate-resumable-')));
after(() => rmSync(directory, { recursive: true, force: true }));

let files = 0;
const freshPath = () => join(directory, `file-${++files}`);
const bytes = (text: string) => Buffer.from(text);
/** A clock that advances a second at each reading, so that each mark is stored. */
function ticking(): () => number {
  let nowMs = 0;
  return () => (nowMs += 1_000);
}
/** Of a file system in memory, bytes. */
const page = 4_096;
const eachMark = () => ({ everyMs: 1, nowMs: ticking() });

test('a finished file has its name, and nothing is left beside it', async () => {
  const path = freshPath();
  const file = await openResumable(path, 'one', eachMark());
  assert.deepEqual([file.found, file.bytes], [null, 0]);
  await file.write(bytes('abc'));
  await file.mark({ at: 3 });
  assert.equal(existsSync(path), false);
  await file.finish();
  assert.deepEqual([readFileSync(path, 'utf8'), existsSync(`${path}.part`), existsSync(`${path}.part.json`)], ['abc', false, false]);
});

test('the next try cuts off what was written after the last mark, and continues from the mark', async () => {
  const path = freshPath();
  const first = await openResumable(path, 'one', eachMark());
  await first.write(bytes('abc'));
  await first.mark({ at: 3 });
  await first.write(bytes('LOST'));
  await first.breakOff();
  const second = await openResumable(path, 'one', eachMark());
  assert.deepEqual([second.found, second.bytes], [{ at: 3 }, 3]);
  await second.write(bytes('def'));
  await second.finish();
  assert.equal(readFileSync(path, 'utf8'), 'abcdef');
});

test('marks closer together than their interval are stored only when it breaks off', async () => {
  const path = freshPath();
  const file = await openResumable(path, 'one', { everyMs: 10_000, nowMs: ticking() });
  await file.write(bytes('abc'));
  await file.mark({ at: 3 });
  assert.equal(existsSync(`${path}.part.json`), false);
  assert.equal(await file.breakOff(), 3);
  const next = await openResumable(path, 'one');
  assert.deepEqual([next.found, next.bytes], [{ at: 3 }, 3]);
  await next.breakOff();
});

test('a disk that is full right behind the latest mark has room for the notes behind an earlier one', async (t) => {
  const disk = join(directory, 'small-disk');
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${64 * page}`, 'tmpfs', disk]);
  if (mounted.status !== 0) return t.diagnostic('no file system can be mounted here');
  try {
    const path = join(disk, 'file');
    const first = await openResumable(path, 'one');
    await first.write(Buffer.alloc(32 * page));
    await first.mark({ at: 'half' });
    // From here on no page is left, and what is cut off behind the mark is less than one.
    await first.write(Buffer.alloc(32 * page - 10));
    await first.mark({ at: 'almost all' });
    await first.write(Buffer.alloc(5));
    await assert.rejects(first.write(Buffer.alloc(page)), (fault) => fault instanceof CommandFault && /no space is left/.test(fault.message));
    assert.equal(await first.breakOff(), 32 * page);
    const second = await openResumable(path, 'one');
    assert.deepEqual([second.found, second.bytes], [{ at: 'half' }, 32 * page]);
    await second.breakOff();
  } finally {
    execFileSync('umount', [disk]);
  }
});

test('without a mark nothing counts, so nothing is left', async () => {
  const path = freshPath();
  const file = await openResumable(path, 'one');
  await file.write(bytes('abc'));
  assert.equal(await file.breakOff(), 0);
  assert.deepEqual([existsSync(`${path}.part`), existsSync(`${path}.part.json`)], [false, false]);
});

test('a file that lost bytes behind the writer gets no name', async () => {
  const path = freshPath();
  const file = await openResumable(path, 'one');
  await file.write(bytes('abcdef'));
  truncateSync(`${path}.part`, 2);
  await assert.rejects(file.finish(), (fault) => fault instanceof CommandFault && /no space is left/.test(fault.message));
  assert.equal(existsSync(path), false);
  await file.breakOff();
});

test('the file, its part and its notes are for their owner alone', { skip: process.platform === 'win32' && 'no modes' }, async () => {
  const path = freshPath();
  writeFileSync(path, 'an earlier one', { mode: 0o644 });
  const modes = (...names: string[]) => names.map((name) => statSync(name).mode & 0o777);
  const file = await openResumable(path, 'one', eachMark());
  await file.write(bytes('abc'));
  await file.mark({ at: 3 });
  assert.deepEqual(modes(`${path}.part`, `${path}.part.json`), [0o600, 0o600]);
  await file.finish();
  assert.deepEqual(modes(path), [0o600]);
});

test('a part of another file, one shorter than its note, and an unreadable note make it start over', async () => {
  const path = freshPath();
  const begun = async (identity: string) => {
    const file = await openResumable(path, identity, eachMark());
    await file.write(bytes('abc'));
    await file.mark({ at: 3 });
    await file.breakOff();
  };
  const foundBy = async (identity: string) => {
    const file = await openResumable(path, identity, eachMark());
    await file.breakOff();
    return file.found;
  };
  await begun('one');
  assert.equal(await foundBy('another'), null);
  await begun('one');
  writeFileSync(`${path}.part`, 'a');
  assert.equal(await foundBy('one'), null);
  await begun('one');
  writeFileSync(`${path}.part.json`, '{"identity":');
  assert.equal(await foundBy('one'), null);
});

test('a place that cannot be written to is a fault in a sentence', async () => {
  await assert.rejects(openResumable(join(directory, 'nowhere', 'file'), 'one'), (fault) => fault instanceof CommandFault);
});

const written = async (path: string) => writeWhole(path, (async function* () { yield bytes('whole'); })());

test('only a file is replaced: a rename over a device or a pipe would take it from every program', {
  skip: process.platform === 'win32' && 'no pipes in folders',
}, async () => {
  const pipe = freshPath();
  execFileSync('mkfifo', [pipe]);
  for (const [place, why] of [[pipe, /it is a device or a pipe/], [directory, /it is a directory/]] as const) {
    for (const write of [written, (path: string) => openResumable(path, 'one')]) {
      await assert.rejects(write(place), (fault) => fault instanceof CommandFault && why.test(fault.message));
    }
    assert.deepEqual([statSync(place).isFile(), existsSync(`${place}.part`)], [false, false]);
  }
});

test('behind a link the file that it leads to is replaced, and the link stays', {
  skip: process.platform === 'win32' && 'links need a right',
}, async () => {
  const [path, link] = [freshPath(), freshPath()];
  writeFileSync(path, 'an earlier one');
  symlinkSync(path, link);
  await written(link);
  assert.equal(readFileSync(path, 'utf8'), 'whole');
  const file = await openResumable(link, 'one');
  assert.equal(file.part, `${path}.part`);
  await file.write(bytes('resumed'));
  await file.finish();
  assert.deepEqual([readFileSync(path, 'utf8'), readFileSync(link, 'utf8'), existsSync(`${link}.part`)], ['resumed', 'resumed', false]);
});
