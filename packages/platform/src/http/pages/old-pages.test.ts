/** Pages say whether they are of the sources beside them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pagesAreOld } from './old-pages.ts';

const dashboard = mkdtempSync(join(tmpdir(), 'metergate-pages-'));
after(() => rmSync(dashboard, { recursive: true, force: true }));

test('pages are old if a source that they were built of has changed or is gone; without sources they are never', () => {
  const write = (file: string, text: string) => writeFileSync(join(dashboard, file), text);
  assert.equal(pagesAreOld(dashboard), false, 'nothing was built');
  for (const folder of ['src', 'dist']) mkdirSync(join(dashboard, folder));
  for (const [file, text] of [['dist/index.html', ''], ['src/main.tsx', 'a'], ['src/page.tsx', 'b']] as const) write(file, text);
  assert.equal(pagesAreOld(dashboard), true, 'by a build that noted nothing');
  write('dist/built.json', JSON.stringify({ files: ['src/main.tsx', 'src/page.tsx'], hash: createHash('sha256').update('ab').digest('base64') }));
  assert.equal(pagesAreOld(dashboard), false);
  write('src/page.tsx', 'c');
  assert.equal(pagesAreOld(dashboard), true);
  rmSync(join(dashboard, 'src/page.tsx'));
  assert.equal(pagesAreOld(dashboard), true);
  rmSync(join(dashboard, 'src/main.tsx'));
  assert.equal(pagesAreOld(dashboard), false, 'a package has no sources');
});

test('the pages that were built here are of these sources', () => {
  assert.equal(pagesAreOld(), false);
});
