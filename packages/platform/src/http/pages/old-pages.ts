/** Whether the pages were built of other sources than those that lie beside them, as after a pull without a build. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const oldPagesSentence = 'The pages are older than their sources. Build them with: npm run build -w packages/dashboard';

/** False where there are no pages, or no sources, as in a package. */
export function pagesAreOld(dashboard: string = dirname(fileURLToPath(import.meta.resolve('@metergate/dashboard/package.json')))): boolean {
  const record = join(dashboard, 'dist/built.json');
  if (!existsSync(join(dashboard, 'src/main.tsx')) || !existsSync(join(dashboard, 'dist/index.html'))) return false;
  try {
    const { files, hash } = JSON.parse(readFileSync(record, 'utf8')) as { readonly files: readonly string[]; readonly hash: string };
    const found = createHash('sha256');
    for (const file of files) found.update(readFileSync(join(dashboard, file)));
    return found.digest('base64') !== hash;
  } catch {
    // A source that the pages were built of is gone, or nothing was noted.
    return true;
  }
}
