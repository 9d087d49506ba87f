/** A file of receipts → its verdict, from the public key alone. If there is a store here, also whether it still has the receipts of the file. */
import { createReadStream, readFileSync } from 'node:fs';
import { checkReceipts } from '@metergate/platform/use-cases/receipts/check-receipts.ts';
import { rawKeysIn } from '@metergate/platform/use-cases/receipts/public-key-pem.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { MonthVerdict } from '@metergate/core/books/month/verify-month.ts';
import { monthName } from '@metergate/core/time/utc-month.ts';
import type { ReceiptVerdict } from '@metergate/core/books/receipt/verify-receipts.ts';
import type { Store } from '@metergate/store/store.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { CommandFault, type CommandTools } from '../command-line/command.ts';
import type { Config } from '../config/config.ts';
import { MasterKeyFault } from '../config/master-key.ts';
import { readConfig } from '../config/read-config.ts';
import { openExistingStore } from '../command-line/open-store.ts';
import { plain } from '../command-line/table.ts';
import { whyUnreadable } from '../command-line/text-file.ts';
import { chainBehind, noteHead, type ChainBehind, type KnownHead } from './known-heads.ts';

/** @throws CommandFault if the file cannot be read. */
export async function verifyFile(path: string, trusted: readonly string[] | null): Promise<ReceiptVerdict> {
  try {
    return await checkReceipts(createReadStream(path), trusted);
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

/** Raw public keys of a PEM file. @throws CommandFault */
export function publicKeysIn(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadableFile(path, error);
  }
  const keys = rawKeysIn(text);
  if (keys !== null) return keys;
  throw new CommandFault('no_public_key', `The file ${plain(path)} holds no Ed25519 public key in PEM, as metergate receipts public-key prints it.`);
}

/** Null: there is no store here that knows the organization, or it agrees with the file. */
export async function storeBehind(tools: CommandTools, { organization, last, hash, valid }: ReceiptVerdict): Promise<ChainBehind | null> {
  if (!valid || organization === null || last === null || hash === null) return null;
  return storeBehindHead(tools, { organization, last, hash });
}

/** The same for a place of a chain that a signed file names. */
export function storeBehindHead(tools: CommandTools, head: KnownHead): Promise<ChainBehind | null> {
  return inStoreHere(tools, async (store, { dataDirectory }) => {
    const behind = await chainBehind(store, head);
    if (behind !== null) noteHead(dataDirectory, head);
    return behind;
  });
}

/** True if the store here knows the organization of a closed month and its chain, but not this closing. */
export async function storeLacksMonth(tools: CommandTools, { organization, month, version, digest }: MonthVerdict): Promise<boolean> {
  return await inStoreHere(tools, async (store) => {
    if (organization === null || await store.receipts.standing(organization, 0) === null) return null;
    const versions = await store.months.list(organization as OrganizationId);
    return versions.some((each) => monthName(each.monthMs) === month && each.version === version && each.digest === digest) ? null : true;
  }) ?? false;
}

/** Null: there is no store here, or the work found nothing. */
async function inStoreHere<Found>(
  { env, cwd }: CommandTools, work: (store: Store, config: Config) => Promise<Found | null>,
): Promise<Found | null> {
  const read = readConfig(env, cwd);
  if ('refusal' in read) return null;
  try {
    const store = await openExistingStore(read.config);
    try {
      return await work(store, read.config);
    } finally {
      await store.close();
    }
  } catch (error) {
    // The file can be verified without a store.
    if (error instanceof StoreFault || error instanceof MasterKeyFault) return null;
    throw error;
  }
}

/** The fault to throw for a file that could not be read. */
export function unreadableFile(path: string, error: unknown): unknown {
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string') return error;
  return new CommandFault('file_not_read', `The file ${plain(path)} ${whyUnreadable(code)}.`);
}
