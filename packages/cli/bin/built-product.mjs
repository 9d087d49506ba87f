/**
 * The built product, where it is there and is of exactly the sources that lie beside it: then the launcher runs it, else the sources. Plain
 * JavaScript that Node 18 reads, for the launcher and for the build.
 *
 * `dist/built.json` names the folder of the build and every file it was made of, with its size, times and hash. A file with the size and the times of
 * then is taken for unchanged: the time of its last change of any kind cannot be set by whoever writes it. One with other times (a copy, another
 * checkout, a layer of an image) is read and hashed. Of the build's own files the sizes are looked at: a copy that broke off, or a disk that was
 * full, leaves short ones. A file that the build did not read cannot matter to it before one that it did read changes.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
/**
 * What the build wrote of itself. `files`: name and size of each in its folder. `sources`: path from the root, size, mtime, ctime, SHA-256; null
 * where it was packed without its sources.
 */
const recordName = 'built.json';

/** Where the built product begins; null: it is not there, or not of these sources. `cli`: the folder of the package. */
export function builtMain(cli) {
  try {
    const { folder, files, sources } = JSON.parse(readFileSync(join(cli, 'dist', recordName), 'utf8'));
    const main = join(cli, 'dist', folder, 'main.js');
    // There is nothing else to run.
    if (sources === null) return existsSync(main) ? main : null;
    if (!files.every(([name, size]) => statSync(join(cli, 'dist', folder, name), { throwIfNoEntry: false })?.size === size)) return null;
    return sources.every((source) => isUnchanged(join(cli, '../..', source[0]), source)) ? main : null;
  } catch {
    return null;
  }
}

/** What is kept of one source, as `builtMain` compares it. @throws where it cannot be read */
export function sourceRecord(root, path) {
  const { size, mtimeMs, ctimeMs } = statSync(join(root, path));
  return [path, size, mtimeMs, ctimeMs, hashOf(join(root, path))];
}

function isUnchanged(file, [, size, mtimeMs, ctimeMs, hash]) {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.size !== size) return false;
  return (found.mtimeMs === mtimeMs && found.ctimeMs === ctimeMs) || hashOf(file) === hash;
}

/** Most starts hash nothing, and are spared the loading of what hashes. */
function hashOf(file) {
  const { createHash } = require('node:crypto');
  return createHash('sha256').update(readFileSync(file)).digest('base64');
}
