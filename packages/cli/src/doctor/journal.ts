/** The journal in the data directory: what waits to be shipped, and what the store refused. Only names and sizes of files are read. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { countOf } from '../command-line/counts.ts';
import { finding, type Finding } from './finding.ts';

const mib = 1_048_576;
/** A node that ships keeps its segments shorter than this. */
const waitingMibMax = 512;

/** Null: there is no journal here. */
export function examineJournal(dataDirectory: string): Finding | null {
  const directory = join(dataDirectory, 'journal');
  const files = filesIn(directory);
  if (files === null) return null;
  const refused = (filesIn(join(directory, 'refused')) ?? []).filter((name) => name.endsWith('.json')).length;
  if (refused > 0) {
    return finding('journal', 'warn', `The store refused ${countOf(refused, 'record')}: see ${join(directory, 'refused')} `
      + 'and the log. They are offered again at the next start.');
  }
  const segments = files.filter((name) => /^seg_\w+\.(?:log|db)$/.test(name)).length;
  const size = Math.ceil(files.reduce((total, name) => total + sizeOf(join(directory, name)), 0) / mib);
  const message = `${countOf(segments, 'segment')}, ${size} MiB.`;
  return size > waitingMibMax
    ? finding('journal', 'warn', `${message} That is much: the store is or was away. Bring it back; what waits ships by itself.`)
    : finding('journal', 'ok', message);
}

function filesIn(directory: string): string[] | null {
  try {
    return readdirSync(directory);
  } catch {
    return null;
  }
}

/** A segment may go while it is looked at. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
