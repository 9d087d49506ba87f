/** The licences of the packages that are in the built product, in one text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `folders`: where the packages lie, from `root`. */
export function notices(root, folders) {
  return ['The built product contains these packages, each under its own licence.\n', ...folders.map((folder) => noticeOf(join(root, folder)))].join('\n');
}

function noticeOf(folder) {
  const { name, version, license = 'not stated' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file)).sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return `${'='.repeat(80)}\n${name} ${version}, licence: ${license}\n\n${texts.join('\n\n')}\n`;
}
