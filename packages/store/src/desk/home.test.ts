/** The name of a data directory: made once; a disk that refuses to store it is reported as such. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { homeOf } from './home.ts';

const place = mkdtempSync(join(tmpdir(), 'metergate-home-'));
after(() => rmSync(place, { recursive: true, force: true }));

test('the name is made once, with the directory if there is none, and stays', () => {
  const directory = join(place, 'data', 'journal');
  const home = homeOf(directory, randomBytes);
  assert.match(home, /^home_[0-9A-Za-z]{20}$/);
  assert.equal(homeOf(directory, randomBytes), home);
  assert.equal(readFileSync(join(directory, 'home'), 'utf8'), `${home}\n`);
});

test('a name that cannot be read is replaced by a new one', () => {
  writeFileSync(join(place, 'home'), 'home_');
  assert.match(homeOf(place, randomBytes), /^home_[0-9A-Za-z]{20}$/);
});

test('if the name cannot be written, the message names the path and no listening address', () => {
  const file = join(place, 'a-file');
  writeFileSync(file, '');
  assert.throws(() => homeOf(file, randomBytes), { code: 'journal_unwritable', message: /a-file/ });
});
