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
  const segments = files.filter((name) => /^seg_\w+\.(?:log|db)$/.test(name)).length;
  const size = Math.ceil(files.reduce((total, name) => total + sizeOf(join(directory, name)), 0) / mib);
  const troubles = [
    ...(size > waitingMibMax ? ['That is a lot: the store is or was away. Bring it back, and the records ship by themselves.'] : []),
    ...refusedIn(join(directory, 'refused')),
  ];
  return finding('journal', troubles.length === 0 ? 'ok' : 'warn', [`${countOf(segments, 'segment')}, ${size} MiB.`, ...troubles].join(' '));
}

function refusedIn(directory: string): string[] {
  const refused = (filesIn(directory) ?? []).filter((name) => name.endsWith('.json')).length;
  return refused === 0 ? []
    : [`The store refused ${countOf(refused, 'record')}: see ${directory} and the log. They are offered again at the next start.`];
}

function filesIn(directory: string): string[] | null {
  try {
    return readdirSync(directory);
  } catch {
    return null;
  }
}

/** A segment may be removed while it is looked at. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
