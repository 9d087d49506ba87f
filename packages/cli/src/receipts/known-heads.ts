/**
 * The latest receipt seen of each organization, in a file of the data directory. A store restored to an earlier moment has lost receipts
 * without knowing it; this file shows that. If the file is lost, it is made again with the next receipts that are exported or verified.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OrganizationId } from '@metergate/core/id.ts';
import { signedBeginning } from '@metergate/platform/use-cases/receipts/receipt-pieces.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import type { Store } from '@metergate/store/store.ts';

export interface KnownHead {
  readonly organization: string;
  /** Sequence of the last receipt that was seen. */
  readonly last: number;
  readonly hash: string;
}

/** A store that has less than was once seen of it, or something different. */
export interface ChainBehind {
  readonly organization: string;
  /** Where its chain ends, and where that of the file or the note ended. */
  readonly store: number;
  readonly file: number;
  /** False: it is as long, but different. */
  readonly shorter: boolean;
}

const fileName = 'receipt-heads.json';

export function readKnownHeads(dataDirectory: string): KnownHead[] {
  try {
    const read: unknown = JSON.parse(readFileSync(join(dataDirectory, fileName), 'utf8'));
    return Array.isArray(read) ? read.filter(isKnownHead) : [];
  } catch {
    return [];
  }
}

/** Keeps the longer of the known head and this one. If the directory cannot be written, nothing is kept and nothing fails. */
export function noteHead(dataDirectory: string, head: KnownHead): void {
  const known = readKnownHeads(dataDirectory);
  const before = known.find(({ organization }) => organization === head.organization);
  if (before !== undefined && before.last >= head.last) return;
  const path = join(dataDirectory, fileName);
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify([...known.filter((each) => each !== before), head])}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // It is a note for later, not the work that was asked for.
  }
}

/** Null: the store has what was seen, or does not know the organization. */
export async function chainBehind(store: Store, { organization, last, hash }: KnownHead): Promise<ChainBehind | null> {
  const standing = await store.receipts.standing(organization, last);
  if (standing === null || standing.hash === hash) return null;
  // A record that was removed for its age does not show whether the store was restored.
  if (standing.hash === null && last <= standing.length && await isGoneForItsAge(store, organization, last)) return null;
  return { organization, store: standing.length, file: last, shorter: standing.hash === null };
}

/** As signed by the organization's key. A removal that nobody signed is not believed. */
async function isGoneForItsAge(store: Store, organization: string, sequence: number): Promise<boolean> {
  try {
    const pruned = signedBeginning(await store.receipts.open(organization as OrganizationId));
    return pruned !== null && pruned.last >= sequence;
  } catch (error) {
    if (error instanceof StoreFault && error.code === 'receipts_differ') return false;
    throw error;
  }
}

function isKnownHead(value: unknown): value is KnownHead {
  if (typeof value !== 'object' || value === null) return false;
  const { organization, last, hash } = value as Partial<Record<keyof KnownHead, unknown>>;
  return typeof organization === 'string' && Number.isSafeInteger(last) && typeof hash === 'string';
}
